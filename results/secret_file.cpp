#include "results/secret_file.hpp"

#include "text/text_file.hpp"

namespace saccade::results {

saccade::Result<std::string> secret_in(const std::string& path) {
  saccade::Result<std::string> text = text::read_text_file(path, 1);
  if (!text) return Error{"", to_string(text.errors().front()), ""};
  return text.value().substr(0, text.value().find_first_of("\r\n"));
}

}  // namespace saccade::results
