// The relaxation whose bound is L (prices.hpp), part by part. Groups that a camera may choose between are in
// one *part*, with all such cameras: a site whose cameras stay in it is a part of its own. L is a sum over
// parts and the best prices of one do not depend on those of another, so each part is priced by itself, as
// long as it needs, and the best L of each is kept. Order: the model and the stage must outlive a relaxation.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <vector>

#include "fleet/model.hpp"
#include "fleet/prices.hpp"

namespace saccade::fleet {

struct Part {
  std::vector<std::size_t> groups;   // ascending
  std::vector<std::size_t> cameras;  // ascending; that have an allowed group, all of which are here
};
// In the order of their first groups. Groups that no camera may use are in none.
[[nodiscard]] std::vector<Part> parts_of(const Model& model);

class Relaxation {
 public:
  Relaxation(const Model& model, const Stage& stage, const Part& part);

  // Per row, group by group: of all boxes of the group, and what the best choices of the last pass use.
  [[nodiscard]] const std::vector<double>& capacity() const { return capacity_; }
  [[nodiscard]] const std::vector<double>& load() const { return load_; }
  [[nodiscard]] double weight() const { return weight_; }  // of the part's cameras

  // The part's share of L at these prices, one per row, rounded outward; sets load().
  double pass(const std::vector<double>& prices);

 private:
  // An offer at the current prices of a group: the reduced value at rate g of a camera of weight w and demand
  // f is w x g/f + g y + z.
  struct Priced {
    double x;
    double y;
    double z;
  };
  struct Place {            // a menu in a group
    std::size_t group = 0;  // of the part
    std::size_t first_row = 0;
    std::size_t first = 0;  // in priced_
    const Kind* kind = nullptr;
    const Menu* menu = nullptr;
  };
  struct Best {
    double value = 0.0;
    const Place* place = nullptr;  // null: off
    std::size_t offer = 0;
    double rate = 0.0;
  };
  // Cameras that differ in nothing but in where they are at home: to all of them but those at home there, the
  // best place is the same, less what moving costs.
  struct Class {
    const Item* item = nullptr;  // one of them
    std::size_t places = 0;      // row of places_of_
    double off = 0.0;            // value of being off; -infinity: it must not
    double lost_rate = 0.0;      // value of a frame/s less than demanded
    bool lowered = false;        // a lower rate is allowed
    Best best = {};              // of all places, at the prices of the pass
  };
  struct Seeker {  // what is read of a camera in every pass
    std::size_t its_class = 0;
    std::size_t home = kNone;  // place; kNone: none, or none that counts
    double moving_cost = 0.0;  // to every other place
  };

  void add_place(const Item& item, std::size_t group, std::size_t local, std::size_t first_row);
  [[nodiscard]] Class class_of(const Item& item, std::size_t places) const;
  void add(const Item& item, std::size_t its_class, const std::vector<std::size_t>& groups);
  void price_offers(const std::vector<double>& prices);
  [[nodiscard]] Best best_of(const Seeker& seeker) const;
  void try_place(const Class& alike, const Place& place, Best& best) const;
  void take(const Best& best);

  const Model& model_;
  const Stage& stage_;
  std::vector<double> capacity_;
  std::vector<double> load_;
  std::vector<Place> places_;
  std::vector<std::vector<std::size_t>> places_of_;  // cameras with the same groups and menu share a row
  std::vector<Priced> priced_;
  std::vector<Class> classes_;
  std::vector<Seeker> seekers_;
  double weight_ = 0.0;
};

}  // namespace saccade::fleet
