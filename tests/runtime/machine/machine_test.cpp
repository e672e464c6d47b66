#include "runtime/machine/machine.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

TEST(InstructionSet, IsWhatKernelsAreChosenByInOrderAndNothingElse) {
  EXPECT_EQ(instruction_set_of("processor : 0\nflags\t\t: fpu vme sse2 avx512_vnni fma avx2 md_clear\n"
                               "flags\t\t: another core\n"),
            "avx2 avx512_vnni fma sse2");
  EXPECT_EQ(instruction_set_of("Features\t: fp asimd evtstrm aes asimddp cpuid i8mm\n"),
            "asimd asimddp i8mm");
  EXPECT_EQ(instruction_set_of(""), "");
  EXPECT_EQ(instruction_set_of("flags"), "");
}

}  // namespace
}  // namespace saccade::runtime
