#include "images/stencil.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"

namespace saccade::images {
namespace {

constexpr std::int64_t kStencilUnit = 1 << kSubPixelBits;
constexpr std::size_t kMostCrossings = 32;

constexpr std::int64_t floor_division(std::int64_t value, std::int64_t by) noexcept {
  const std::int64_t quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

constexpr std::int64_t ceiling_division(std::int64_t value, std::int64_t by) noexcept {
  return -floor_division(-value, by);
}

// The first pixel whose centre is not left of the edge, on the row of centres at height `level`. An edge
// holds its upper end and not its lower one, so that every closed outline is crossed an even number of times.
bool crossing(const cv::Point& from, const cv::Point& to, std::int64_t level, std::int64_t& column) {
  const cv::Point& upper = from.y < to.y ? from : to;
  const cv::Point& lower = from.y < to.y ? to : from;
  if (level < upper.y || level >= lower.y) return false;
  const std::int64_t height = std::int64_t{lower.y} - upper.y;
  const std::int64_t run = std::int64_t{lower.x} - upper.x;
  column = ceiling_division(upper.x * height + (level - upper.y) * run, height * kStencilUnit);
  return true;
}

// Is (x, y) at most kReach from the edge? Products of whole numbers below 2^53 are exact in a double; only
// the last comparison may round, and rounds alike everywhere.
bool is_near(const cv::Point& from, const cv::Point& to, std::int64_t x, std::int64_t y) {
  const auto edge_x = static_cast<double>(std::int64_t{to.x} - from.x);
  const auto edge_y = static_cast<double>(std::int64_t{to.y} - from.y);
  const auto away_x = static_cast<double>(x - from.x);
  const auto away_y = static_cast<double>(y - from.y);
  constexpr double kSquare = 1.0 * kReach * kReach;
  const double length = edge_x * edge_x + edge_y * edge_y;
  const double along = away_x * edge_x + away_y * edge_y;
  if (along <= 0.0) return away_x * away_x + away_y * away_y <= kSquare;
  if (along >= length) {
    const double end_x = away_x - edge_x;
    const double end_y = away_y - edge_y;
    return end_x * end_x + end_y * end_y <= kSquare;
  }
  const double across = away_x * edge_y - away_y * edge_x;
  return across * across <= kSquare * length;
}

}  // namespace

Stencil::Stencil(cv::Size picture, int margin)
    : picture_(margin, margin, picture.width, picture.height),
      ids_(picture.height + 2 * margin, picture.width + 2 * margin, CV_8UC1, cv::Scalar::all(kNothing)) {}

void Stencil::fill(const cv::Point* corners, std::size_t count) {
  SACCADE_CHECK(count <= kMostCrossings);
  if (count < 3) return;
  fill_interior(corners, count);
  for (std::size_t at = 0; at < count; ++at) fill_edge(corners[at], corners[(at + 1) % count]);
}

std::uint8_t* Stencil::row_at(std::int64_t row) {
  return ids_.ptr<std::uint8_t>(static_cast<int>(row + picture_.y)) + picture_.x;
}

void Stencil::fill_interior(const cv::Point* corners, std::size_t count) {
  const auto [top, bottom] = std::minmax_element(
      corners, corners + count, [](const cv::Point& a, const cv::Point& b) { return a.y < b.y; });
  const std::int64_t first = std::max<std::int64_t>(ceiling_division(top->y, kStencilUnit), -picture_.y);
  const std::int64_t last =
      std::min<std::int64_t>(floor_division(bottom->y, kStencilUnit), ids_.rows - picture_.y - 1);
  std::array<std::int64_t, kMostCrossings> columns;
  for (std::int64_t row = first; row <= last; ++row) {
    std::size_t crossings = 0;
    for (std::size_t at = 0; at < count; ++at) {
      const cv::Point& to = corners[(at + 1) % count];
      if (crossing(corners[at], to, row * kStencilUnit, columns[crossings])) ++crossings;
    }
    std::sort(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(crossings));
    auto* ids = row_at(row);
    for (std::size_t at = 0; at + 1 < crossings; at += 2) {
      const std::int64_t from = std::clamp<std::int64_t>(columns[at], -picture_.x, ids_.cols - picture_.x);
      const std::int64_t to = std::clamp<std::int64_t>(columns[at + 1], -picture_.x, ids_.cols - picture_.x);
      std::fill(ids + from, ids + to, id_);
    }
  }
}

void Stencil::fill_edge(const cv::Point& from, const cv::Point& to) {
  const cv::Point& upper = from.y < to.y ? from : to;
  const cv::Point& lower = from.y < to.y ? to : from;
  const std::int64_t height = std::int64_t{lower.y} - upper.y;
  const std::int64_t run = std::int64_t{lower.x} - upper.x;
  const std::int64_t first =
      std::max<std::int64_t>(ceiling_division(upper.y - kReach, kStencilUnit), -picture_.y);
  const std::int64_t last =
      std::min<std::int64_t>(floor_division(lower.y + kReach, kStencilUnit), ids_.rows - picture_.y - 1);
  for (std::int64_t row = first; row <= last; ++row) {
    // Where the part of the edge that is near this row begins and ends; one more on either side for rounding.
    const auto column_at = [&](std::int64_t level) {
      if (height == 0) return std::int64_t{upper.x};
      const std::int64_t below = std::clamp<std::int64_t>(level - upper.y, 0, height);
      return upper.x + floor_division(below * run, height);
    };
    std::int64_t left = column_at(row * kStencilUnit - kReach);
    std::int64_t right = height == 0 ? lower.x : column_at(row * kStencilUnit + kReach);
    if (left > right) std::swap(left, right);
    const std::int64_t from_column =
        std::max<std::int64_t>(floor_division(left - kReach, kStencilUnit), -picture_.x);
    const std::int64_t to_column = std::min<std::int64_t>(ceiling_division(right + 1 + kReach, kStencilUnit),
                                                          ids_.cols - picture_.x - 1);
    auto* ids = row_at(row);
    for (std::int64_t column = from_column; column <= to_column; ++column) {
      if (is_near(upper, lower, column * kStencilUnit, row * kStencilUnit)) ids[column] = id_;
    }
  }
}

Stencil::Extent Stencil::on_canvas(std::uint8_t id) const { return within({0, 0, ids_.cols, ids_.rows}, id); }

Stencil::Extent Stencil::in_picture(std::uint8_t id) const { return within(picture_, id); }

Stencil::Extent Stencil::within(const cv::Rect& part, std::uint8_t id) const {
  int left = part.x + part.width;
  int right = part.x - 1;
  int top = part.y + part.height;
  int bottom = part.y - 1;
  Extent extent;
  for (int row = part.y; row < part.y + part.height; ++row) {
    const auto* ids = ids_.ptr<std::uint8_t>(row);
    for (int column = part.x; column < part.x + part.width; ++column) {
      if (ids[column] != id) continue;
      ++extent.pixels;
      left = std::min(left, column);
      right = std::max(right, column);
      top = std::min(top, row);
      bottom = row;
    }
  }
  if (extent.pixels > 0)
    extent.box = {left - picture_.x, top - picture_.y, right - left + 1, bottom - top + 1};
  return extent;
}

}  // namespace saccade::images
