// Physical quantities as types: Seconds cannot be confused with Watts, and the conversion to a bare number is
// explicit (`value()`). All values are SI; arithmetic is IEEE double.
// Threads: plain values. Errors: none; callers keep values finite.
#pragma once

#include <compare>

namespace saccade {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  [[nodiscard]] constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return a * k; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  double value_ = 0.0;
};

using Seconds = Quantity<struct SecondsTag>;  // a duration
using Fps = Quantity<struct FpsTag>;          // frames per second
using Watts = Quantity<struct WattsTag>;      // power; also energy per second
using Joules = Quantity<struct JoulesTag>;    // energy
using Bytes = Quantity<struct BytesTag>;      // memory

// Share of a processor: seconds of work per frame at a frame rate. 1.0 = the whole processor.
constexpr double operator*(Seconds time, Fps rate) { return time.value() * rate.value(); }
constexpr double operator*(Fps rate, Seconds time) { return time * rate; }
// Energy per frame at a frame rate is power.
constexpr Watts operator*(Joules energy, Fps rate) { return Watts(energy.value() * rate.value()); }
constexpr Joules operator*(Watts power, Seconds time) { return Joules(power.value() * time.value()); }

}  // namespace saccade
