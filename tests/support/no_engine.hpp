// An engine that does nothing, for tests of what goes on around one.
#pragma once

#include "runtime/engines/engine.hpp"

namespace saccade::test {

class NoEngine final : public runtime::Engine {
 public:
  Status prepare(std::size_t, const runtime::Picture&, const runtime::PixelBox&) override { return Done{}; }
  Status prepare(std::span<const float>) override { return Done{}; }
  Status infer(runtime::Outputs&) override { return Done{}; }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return {}; }
  [[nodiscard]] int batch() const override { return 1; }
  [[nodiscard]] std::size_t classes() const override { return 1; }
};

}  // namespace saccade::test
