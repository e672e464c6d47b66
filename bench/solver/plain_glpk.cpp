// GLPK as its manual shows it; the other file pair that sees glpk.h is the planner's own.
#include <glpk.h>

#include <cmath>

#include "bench/solver/columns.hpp"
#include "bench/solver/contender.hpp"

namespace saccade::bench {
namespace {

class PlainGlpk final : public Contender {
 public:
  explicit PlainGlpk(bool presolve) : presolve_(presolve) {}
  [[nodiscard]] std::string name() const override { return presolve_ ? "glpk presolve" : "glpk"; }
  [[nodiscard]] std::string version() const override { return glp_version(); }

  [[nodiscard]] Answer answer(const Request& request) const override {
    glp_term_out(GLP_OFF);
    const Columns columns = columns_of(request.problem);
    glp_prob* lp = load(request.problem, columns);
    const Answer answer = solve(lp, columns, request);
    glp_delete_prob(lp);
    return answer;
  }

 private:
  static glp_prob* load(const ilp::ChoiceProblem& problem, const Columns& columns) {
    glp_prob* lp = glp_create_prob();
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_rows(lp, columns.rows);
    for (int row = 0; row < columns.rows; ++row) {
      const bool group = row < columns.groups;
      const double bound = group ? 1.0 : problem.capacities[static_cast<std::size_t>(row - columns.groups)];
      glp_set_row_bnds(lp, row + 1, group ? GLP_FX : GLP_UP, bound, bound);
    }
    if (columns.count() > 0) glp_add_cols(lp, columns.count());
    std::vector<int> rows(1, 0);
    std::vector<double> values(1, 0.0);
    for (int column = 0; column < columns.count(); ++column) {
      const auto at = static_cast<std::size_t>(column);
      glp_set_col_kind(lp, column + 1, GLP_BV);
      glp_set_obj_coef(lp, column + 1, columns.objective[at]);
      rows.resize(1);
      values.resize(1);
      for (int entry = columns.start[at]; entry < columns.start[at + 1]; ++entry) {
        rows.push_back(columns.row[static_cast<std::size_t>(entry)] + 1);
        values.push_back(columns.value[static_cast<std::size_t>(entry)]);
      }
      glp_set_mat_col(lp, column + 1, static_cast<int>(rows.size()) - 1, rows.data(), values.data());
    }
    return lp;
  }

  // The simplex has a limit of its own: without one it is known to cycle.
  [[nodiscard]] Answer solve(glp_prob* lp, const Columns& columns, const Request& request) const {
    const int milliseconds = static_cast<int>(std::ceil(request.seconds * 1e3));
    if (!presolve_) {
      glp_smcp simplex;
      glp_init_smcp(&simplex);
      simplex.msg_lev = GLP_MSG_OFF;
      simplex.tm_lim = milliseconds;
      if (glp_simplex(lp, &simplex) != 0) return {};
      if (glp_get_status(lp) == GLP_NOFEAS) return {ilp::Verdict::infeasible, {}, {}};
    }
    glp_iocp integer;
    glp_init_iocp(&integer);
    integer.msg_lev = GLP_MSG_OFF;
    integer.presolve = presolve_ ? GLP_ON : GLP_OFF;
    integer.tm_lim = milliseconds;
    if (request.gap > ilp::kTolerance) integer.mip_gap = request.gap;
    const int code = glp_intopt(lp, &integer);
    const int status = glp_mip_status(lp);
    if (code == GLP_ENOPFS || status == GLP_NOFEAS) return {ilp::Verdict::infeasible, {}, {}};
    if (status != GLP_OPT && status != GLP_FEAS) return {};
    std::vector<double> values;
    for (int column = 1; column <= columns.count(); ++column) values.push_back(glp_mip_col_val(lp, column));
    const bool proven = code == GLP_EMIPGAP || (code == 0 && status == GLP_OPT);
    return {proven ? ilp::Verdict::optimal : ilp::Verdict::feasible, picks_of(columns, values), {}};
  }

  bool presolve_;
};

}  // namespace

std::unique_ptr<Contender> make_plain_glpk(bool presolve) { return std::make_unique<PlainGlpk>(presolve); }

}  // namespace saccade::bench
