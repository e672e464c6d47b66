// Processors of one kind are equal: what was measured on a kind is true of each of them. A profile set names
// kinds; plans and engines know processors. on_processors() turns the one into the other: a variant becomes
// one variant for every processor of its kind, in the order of the processors, so that to choose a variant is
// to choose the processor too. Where a kind has one processor, the variant keeps its id; where it has
// several, it is VARIANT@PROCESSOR. A variant that uses several kinds at once takes one processor of each
// (VARIANT@FIRST+SECOND). A name that is no kind but a processor's own stands for that processor. A variant
// of a kind that no processor has stays as it is, and is of no use. Threads: pure. Errors: none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::profiles {

struct KindOfProcessor {
  ProcessorId processor;
  ProcessorId kind;  // the name in profile sets
  bool operator==(const KindOfProcessor&) const = default;
};

// True if profile sets are used unchanged: every processor is its own kind.
[[nodiscard]] bool are_their_own_kinds(std::span<const KindOfProcessor> processors);

[[nodiscard]] ProfileSet on_processors(const ProfileSet& set, std::span<const KindOfProcessor> processors);

// The name of the kind that computes an inference with that many threads: for "cpu" and 2 "cpu-x2", and for
// "cpu-x2" and 1 "cpu".
[[nodiscard]] ProcessorId kind_with_threads(const ProcessorId& kind, int threads);

// The id of the variant in the profile set: Variant::measured_as if set.
[[nodiscard]] const VariantId& measured_id(const Variant& variant);

// The variants of the set that are one measured variant, itself included; ascending.
[[nodiscard]] std::vector<std::size_t> same_measured(const ProfileSet& set, std::size_t variant);

}  // namespace saccade::profiles
