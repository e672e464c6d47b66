#include "runtime/sources/encoded_picture.hpp"

#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <string>

#include "runtime/sources/frame_picture.hpp"

namespace saccade::runtime {
namespace {

constexpr std::string_view kPngStart("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);  // its first part is this one

// Big-endian numbers of bytes that may end too early.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (const char byte : bytes_.substr(at, size)) value = value << 8U | static_cast<unsigned char>(byte);
    return value;
  }

 private:
  std::string_view bytes_;
};

std::optional<PictureSize> size_from(const std::optional<std::uint32_t>& width,
                                     const std::optional<std::uint32_t>& height) {
  constexpr std::uint32_t kMostSide = 1U << 20U;
  if (!width || !height || *width == 0 || *height == 0) return std::nullopt;
  if (*width > kMostSide || *height > kMostSide) return PictureSize{kMostSide, kMostSide};
  return PictureSize{static_cast<int>(*width), static_cast<int>(*height)};
}

// The first frame header (SOF) behind the segments before it; ITU T.81, B.1 and B.2.
std::optional<PictureSize> jpeg_size(const Bytes& bytes) {
  constexpr std::uint32_t kStart = 0xC0;
  constexpr std::uint32_t kLone = 0x01;  // markers without a length, which have no place here
  constexpr std::uint32_t kRestart = 0xD0;
  for (std::size_t at = 2;;) {
    const auto marker = bytes.number(at, 2);
    if (!marker || *marker >> 8U != 0xFF) return std::nullopt;
    const std::uint32_t code = *marker & 0xFFU;
    if (code == 0xFF) {  // padding
      ++at;
      continue;
    }
    const bool frame = code >= kStart && code <= 0xCF && code != 0xC4 && code != 0xC8 && code != 0xCC;
    if (frame) {
      auto size = size_from(bytes.number(at + 7, 2), bytes.number(at + 5, 2));
      if (size) size->progressive = (code & 3U) == 2U;
      return size;
    }
    if (code == kLone || (code >= kRestart && code < kRestart + 8)) return std::nullopt;
    const auto length = bytes.number(at + 2, 2);
    if (!length || *length < 2) return std::nullopt;
    at += 2 + *length;
  }
}

// Scans of a JPEG: the decoder goes over the whole picture for each. In what is coded the marker does not
// occur.
std::size_t scans(std::string_view bytes) {
  constexpr std::string_view kScan = "\xFF\xDA";
  std::size_t count = 0;
  for (std::size_t at = bytes.find(kScan); at != std::string_view::npos; at = bytes.find(kScan, at + 2))
    ++count;
  return count;
}

// Empty when it is damaged.
cv::Mat decode(std::string_view bytes) {
  // The decoder does not write to what it reads.
  const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  try {
    return cv::imdecode(encoded, cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {
    return {};
  }
}

std::string largest_input(const NetworkInputs& inputs) {
  int width = 0;
  int height = 0;
  for (const profiles::PictureInput& input : inputs.variants) {
    width = std::max(width, input.width);
    height = std::max(height, input.height);
  }
  return std::to_string(width) + " x " + std::to_string(height);
}

}  // namespace

Result<PictureSize> picture_size(std::string_view bytes) {
  const Bytes numbers(bytes);
  std::optional<PictureSize> size;
  if (bytes.starts_with(kPngStart)) {
    size = size_from(numbers.number(16, 4), numbers.number(20, 4));
  } else if (bytes.starts_with("\xFF\xD8")) {
    size = jpeg_size(numbers);
  } else {
    return Error{"", "is no JPEG or PNG picture", "send one of these, or a tensor"};
  }
  if (!size) return Error{"", "the picture's header is damaged or cut short", ""};
  return *size;
}

Result<Frame> frame_of_picture(std::string_view bytes, const Regions& regions, const NetworkInputs& inputs) {
  for (const profiles::PictureInput& input : inputs.variants) {
    if (inputs.channels != profiles::channels_of(input.color))
      return Error{"", "the network does not take colour pictures", "send a tensor"};
  }
  const Result<PictureSize> size = picture_size(bytes);
  if (!size) return size.errors();
  const bool progressive = size.value().progressive;
  const std::int64_t most = progressive ? kMostProgressivePixels : kMostPixels;
  if (static_cast<std::int64_t>(size.value().width) * size.value().height > most) {
    return Error{"",
                 std::string("the ") + (progressive ? "progressive " : "") + "picture has more than " +
                     std::to_string(most / 1'000'000) + " million pixels",
                 "send a smaller one: the network sees " + largest_input(inputs) + " pixels of a region"};
  }
  if (progressive && scans(bytes) > kMostScans) {
    return Error{"", "the progressive picture has more than " + std::to_string(kMostScans) + " scans",
                 "save it with fewer, or as a baseline JPEG"};
  }
  const cv::Mat picture = decode(bytes);
  if (picture.empty()) return Error{"", "the picture cannot be decoded: it is damaged or cut short", ""};
  FramePicture pictures(regions, inputs);
  if (const Status fits = pictures.fit(picture.cols, picture.rows); !fits) return fits.errors();
  Frame frame;
  if (!pictures.write(picture, frame)) return Error{"regions", "do not fit the picture", ""};
  frame.captured_at = captured_now();
  return frame;
}

}  // namespace saccade::runtime
