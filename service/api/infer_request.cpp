#include "service/api/infer_request.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "text/base64.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using PlainJson = nlohmann::json;
using text::in_quotes;

static_assert(std::endian::native == std::endian::little, "tensors are sent as the machine keeps them");

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kBesideTensor = 4096;  // values: rows count, too, hence twice the numbers
constexpr std::size_t kLongestId = 256;      // bytes
constexpr std::size_t kMostComplaints = 8;   // about numbers of one tensor

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t side : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(side);
  return text + "]";
}

// Why the text is not to be parsed, looked up outside of its texts: brackets in brackets, which what comes
// later would have to follow down, or more values than `most`, each of which takes far more memory parsed.
std::optional<Error> too_much(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      ++values;
      if (++depth > kDeepest) return Error{"#", "is nested more than 32 deep", ""};
    } else if (c == ',') {
      ++values;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    if (values > most) {
      return Error{"#", "has far more values than the task's tensor", "GET /v2/models/ID tells its shape"};
    }
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const InferTarget& target) : target_(target) {}

  Result<InferRequest> read(const InferBody& body) {
    if (is_picture_type(body.content_type)) {
      request_.frame = std::string(body.bytes);
      for (const std::string& name : target_.outputs) request_.outputs.push_back({name, false});
      return std::move(request_);
    }
    std::string_view json = body.bytes;
    if (!split(body, json)) return std::move(errors_);
    if (const auto wrong = too_much(json, 2 * count() + kBesideTensor)) return *wrong;
    PlainJson document;
    try {
      document = PlainJson::parse(json);
    } catch (const PlainJson::parse_error& wrong) {
      return Error{"#", "is no JSON: byte " + std::to_string(wrong.byte) + " does not belong there",
                   "for a picture, set Content-Type: image/jpeg or image/png"};
    } catch (const PlainJson::out_of_range&) {
      return Error{"#", "has a number that is too large", "numbers are those of 64 bits"};
    }
    read_document(document);
    if (!errors_.empty()) return std::move(errors_);
    return std::move(request_);
  }

 private:
  void complain(std::string where, std::string what, std::string hint = {}) {
    errors_.push_back({std::move(where), std::move(what), std::move(hint)});
  }

  // The JSON, and what follows it.
  bool split(const InferBody& body, std::string_view& json) {
    if (body.json_length.empty()) return true;
    std::size_t length = 0;
    const char* end = body.json_length.data() + body.json_length.size();
    const auto [stop, failure] = std::from_chars(body.json_length.data(), end, length);
    if (failure != std::errc{} || stop != end || length > body.bytes.size()) {
      complain("#", "Inference-Header-Content-Length is not a length of JSON in this body",
               "the body has " + std::to_string(body.bytes.size()) + " bytes");
      return false;
    }
    json = body.bytes.substr(0, length);
    binary_ = body.bytes.substr(length);
    return true;
  }

  void read_document(const PlainJson& document) {
    if (!document.is_object()) return complain("#", "must be an object with `inputs`");
    if (const auto id = document.find("id"); id != document.end()) {
      if (!id->is_string()) {
        complain("#/id", "must be a text");
      } else if (id->get_ref<const std::string&>().size() > kLongestId) {
        complain("#/id", "is longer than 256 bytes");
      } else {
        request_.id = *id;
      }
    }
    read_outputs(document);
    const auto inputs = document.find("inputs");
    if (inputs == document.end()) return complain("#", "has no `inputs`", "a list with one tensor");
    if (!inputs->is_array() || inputs->size() != 1) {
      return complain("#/inputs", "must be a list with one tensor",
                      "a frame is one tensor: its regions one after the other");
    }
    read_tensor(inputs->front());
  }

  // What `parameters` of `holder` says; absent: nothing.
  const PlainJson* parameter(const PlainJson& holder, const std::string& where, const char* name) {
    const auto parameters = holder.find("parameters");
    if (parameters == holder.end()) return nullptr;
    if (!parameters->is_object()) {
      complain(where + "/parameters", "must be an object");
      return nullptr;
    }
    const auto found = parameters->find(name);
    return found == parameters->end() ? nullptr : &*found;
  }

  bool flag(const PlainJson& holder, const std::string& where, const char* name, bool otherwise) {
    const PlainJson* value = parameter(holder, where, name);
    if (value == nullptr) return otherwise;
    if (value->is_boolean()) return value->get<bool>();
    complain(where + "/parameters/" + name, "must be true or false");
    return otherwise;
  }

  void read_outputs(const PlainJson& document) {
    const bool binary = flag(document, "#", "binary_data_output", false);
    const auto wanted = document.find("outputs");
    if (wanted == document.end()) {
      for (const std::string& name : target_.outputs) request_.outputs.push_back({name, binary});
      return;
    }
    const std::vector<std::string>& known = target_.outputs;
    if (!wanted->is_array() || wanted->size() > known.size()) {
      return complain("#/outputs", "must be a list of different outputs", known_outputs());
    }
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      const PlainJson& output = (*wanted)[i];
      const std::string where = "#/outputs/" + std::to_string(i);
      if (!output.is_object()) {
        complain(where, "must be an object with `name`");
        continue;
      }
      const std::optional<std::string> name = text_of(output, where, "name");
      const bool as_bytes = flag(output, where, "binary_data", binary);
      if (!name) continue;
      if (std::find(known.begin(), known.end(), *name) == known.end()) {
        complain(where + "/name", "there is no output " + in_quotes(*name), known_outputs());
      } else if (std::any_of(request_.outputs.begin(), request_.outputs.end(),
                             [&](const WantedOutput& each) { return each.name == *name; })) {
        complain(where + "/name", in_quotes(*name) + " is there already");
      } else {
        request_.outputs.push_back({*name, as_bytes});
      }
    }
  }

  [[nodiscard]] std::string known_outputs() const {
    std::string names;
    for (const std::string& name : target_.outputs) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "none is known while no engine serves" : names;
  }

  // Absent: complained of.
  std::optional<std::string> text_of(const PlainJson& holder, const std::string& where, const char* key) {
    const auto found = holder.find(key);
    if (found == holder.end()) {
      complain(where, std::string("has no `") + key + "`");
    } else if (!found->is_string()) {
      complain(where + "/" + key, "must be a text");
    } else {
      return found->get<std::string>();
    }
    return std::nullopt;
  }

  void read_tensor(const PlainJson& tensor) {
    if (!tensor.is_object()) return complain(kTensor, "must be an object: name, shape, datatype, data");
    const std::optional<std::string> name = text_of(tensor, kTensor, "name");
    if (name && *name != target_.input_name) {
      complain(kTensor + "/name", "there is no input " + in_quotes(*name),
               "it is called `" + target_.input_name + "`");
    }
    const std::optional<std::string> datatype = text_of(tensor, kTensor, "datatype");
    const bool known = datatype == "FP32" || datatype == "UINT8" || datatype == "BYTES";
    if (datatype && !known) {
      complain(kTensor + "/datatype", in_quotes(*datatype) + " is not taken", "FP32, UINT8 or BYTES");
    }
    if (known) read_shape(tensor, *datatype == "BYTES");
    const PlainJson* size = parameter(tensor, kTensor, "binary_data_size");
    const auto data = tensor.find("data");
    if (size == nullptr && data == tensor.end()) {
      return complain(kTensor, "has no `data`", "or `binary_data_size` in its parameters");
    }
    if (size != nullptr && data != tensor.end()) {
      return complain(kTensor, "has both `data` and `binary_data_size`", "leave one out");
    }
    if (size == nullptr && !binary_.empty()) {
      return complain("#", "bytes follow the JSON that no tensor claims", "set `binary_data_size`");
    }
    if (!known) return;
    size == nullptr ? read_data(*data, *datatype) : read_binary(*size, *datatype);
  }

  [[nodiscard]] std::vector<std::int64_t> expected_shape(bool picture) const {
    if (picture) return {1};
    return {target_.regions, target_.input.channels, target_.input.height, target_.input.width};
  }

  void read_shape(const PlainJson& tensor, bool picture) {
    const auto shape = tensor.find("shape");
    if (shape == tensor.end()) return complain(kTensor, "has no `shape`");
    const std::vector<std::int64_t> expected = expected_shape(picture);
    if (*shape == PlainJson(expected)) return;
    complain(kTensor + "/shape", "must be " + shape_text(expected),
             picture ? "one encoded picture" : "regions, channels, height, width");
  }

  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(target_.regions) * target_.input.size();
  }

  void read_data(const PlainJson& data, const std::string& datatype) {
    const std::string where = kTensor + "/data";
    if (!data.is_array()) return complain(where, "must be a list");
    if (datatype == "BYTES") {
      if (data.size() != 1 || !data.front().is_string()) {
        return complain(where, "must be a list with one text: the picture in base64");
      }
      std::optional<std::string> picture = text::from_base64(data.front().get_ref<const std::string&>());
      if (!picture) return complain(where + "/0", "is no base64");
      request_.frame = *std::move(picture);
      return;
    }
    std::vector<float> numbers;
    numbers.reserve(count());
    wrong_ = 0;
    collect(data, where, datatype == "UINT8", numbers);
    check_count(where, numbers.size() + wrong_);
    tell_the_rest(where);
    request_.frame = std::move(numbers);
  }

  // Row by row, nested as the shape is or in one list.
  void collect(const PlainJson& data, const std::string& where, bool bytes, std::vector<float>& numbers) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      const PlainJson& item = data[i];
      if (item.is_array()) {
        collect(item, where + "/" + std::to_string(i), bytes, numbers);
        continue;
      }
      const double number = item.is_number() ? item.get<double>() : std::nan("");
      const bool good = bytes ? item.is_number_integer() && number >= 0.0 && number <= 255.0
                              : std::isfinite(static_cast<float>(number));
      if (good) {
        numbers.push_back(bytes ? static_cast<float>(number) / 255.0F : static_cast<float>(number));
      } else if (++wrong_ <= kMostComplaints) {
        complain(where + "/" + std::to_string(i),
                 bytes ? "must be a whole number from 0 to 255" : "must be a finite number");
      }
    }
  }

  void check_count(const std::string& where, std::size_t found) {
    if (found == count()) return;
    complain(where, "has " + std::to_string(found) + " numbers, not " + std::to_string(count()));
  }

  void tell_the_rest(const std::string& where) {
    if (wrong_ <= kMostComplaints) return;
    complain(where, "and " + std::to_string(wrong_ - kMostComplaints) + " more numbers that are wrong");
  }

  void read_binary(const PlainJson& size, const std::string& datatype) {
    const std::string where = kTensor + "/parameters/binary_data_size";
    if (!size.is_number_unsigned() || size.get<std::size_t>() != binary_.size()) {
      return complain(where, "must be the number of bytes after the JSON, " + std::to_string(binary_.size()),
                      "Inference-Header-Content-Length says where the JSON ends");
    }
    if (datatype == "BYTES") return take_picture(where);
    const std::size_t each = datatype == "UINT8" ? 1 : sizeof(float);
    if (binary_.size() != count() * each) {
      return complain(where, "must be " + std::to_string(count() * each) + " for this shape");
    }
    std::vector<float> numbers(count());
    if (datatype == "UINT8") {
      std::transform(binary_.begin(), binary_.end(), numbers.begin(),
                     [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)) / 255.0F; });
    } else {
      std::memcpy(numbers.data(), binary_.data(), binary_.size());
    }
    const auto wrong =
        std::count_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
    if (wrong > 0) complain(kTensor, std::to_string(wrong) + " of its numbers are not finite");
    request_.frame = std::move(numbers);
  }

  // An element is its length in four bytes and then itself.
  void take_picture(const std::string& where) {
    std::uint32_t length = 0;
    if (binary_.size() >= sizeof length) std::memcpy(&length, binary_.data(), sizeof length);
    if (binary_.size() < sizeof length || length != binary_.size() - sizeof length) {
      return complain(where, "its bytes are not one element", "four bytes of length, then the picture");
    }
    request_.frame = std::string(binary_.substr(sizeof length));
  }

  inline static const std::string kTensor = "#/inputs/0";

  const InferTarget target_;
  std::string_view binary_;
  InferRequest request_;
  std::size_t wrong_ = 0;  // numbers
  Errors errors_;
};

}  // namespace

bool is_picture_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find_first_of("; "));
  return type == "image/jpeg" || type == "image/png";
}

Result<InferRequest> read_infer_request(const InferBody& body, const InferTarget& target) {
  return Reader(target).read(body);
}

}  // namespace saccade::service
