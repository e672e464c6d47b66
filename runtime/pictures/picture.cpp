#include "runtime/pictures/picture.hpp"

namespace saccade::runtime {

void Picture::resize(int new_width, int new_height) {
  width = frame_width = new_width;
  height = frame_height = new_height;
  pixels.resize(bytes(width, height));
}

Picture& renew(PicturePtr& picture) {
  if (picture && picture.use_count() == 1) {
    // The count says that nobody else holds it; giving a copy back makes what those did to it before happen
    // before what follows.
    PicturePtr(picture).reset();
    return const_cast<Picture&>(*picture);  // it was not made const
  }
  auto fresh = std::make_shared<Picture>();
  picture = fresh;
  return *fresh;
}

}  // namespace saccade::runtime
