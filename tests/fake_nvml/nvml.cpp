// A stand-in for NVIDIA's management library: one or more cards whose figures a test sets. A test that opens
// it by its path a second time finds the same counters by the functions that begin with fake_nvml.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr int kNotSupported = 3;
constexpr int kDriverNotLoaded = 9;
constexpr int kLost = 15;

struct Card {
  unsigned long long millijoules = 0;
  unsigned celsius = 40;
  bool lost = false;
  bool has_counter = true;
};
std::array<Card, 4> cards;
unsigned count = 1;
bool driver = true;

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int nvmlInit_v2() { return driver ? 0 : kDriverNotLoaded; }
int nvmlDeviceGetCount_v2(unsigned* number) {
  *number = count;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &cards.at(index);
  return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned length) {
  std::strncpy(name, "Fake Card", length);
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  const Card& card = *static_cast<Card*>(device);
  if (!card.has_counter) return kNotSupported;
  *millijoules = card.millijoules;
  return card.lost ? kLost : 0;
}
int nvmlDeviceGetTemperature(void* device, int, unsigned* celsius) {
  *celsius = static_cast<Card*>(device)->celsius;
  return static_cast<Card*>(device)->lost ? kLost : 0;
}
int nvmlDeviceGetTemperatureThreshold(void*, int, unsigned* celsius) {
  *celsius = 90;
  return 0;
}

void fake_nvml_machine(bool has_driver, unsigned cards_there) {
  driver = has_driver;
  count = cards_there;
  cards.fill(Card{});
}
void fake_nvml_card(unsigned index, unsigned long long millijoules, unsigned celsius, bool lost,
                    bool has_counter) {
  cards.at(index) = {millijoules, celsius, lost, has_counter};
}
}
// NOLINTEND(readability-identifier-naming)
