# Third-party libraries, each as one target of this project's own naming, included as system headers.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto SSL)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)

find_path(SYSTEMD_INCLUDE_DIR systemd/sd-daemon.h REQUIRED)
find_library(SYSTEMD_LIBRARY systemd REQUIRED)
add_library(saccade_systemd INTERFACE)
target_include_directories(saccade_systemd SYSTEM INTERFACE "${SYSTEMD_INCLUDE_DIR}")
target_link_libraries(saccade_systemd INTERFACE "${SYSTEMD_LIBRARY}")

find_path(MOSQUITTO_INCLUDE_DIR mosquitto.h REQUIRED)
find_library(MOSQUITTO_LIBRARY mosquitto REQUIRED)
add_library(saccade_mosquitto INTERFACE)
target_include_directories(saccade_mosquitto SYSTEM INTERFACE "${MOSQUITTO_INCLUDE_DIR}")
target_link_libraries(saccade_mosquitto INTERFACE "${MOSQUITTO_LIBRARY}")

find_path(CURL_INCLUDE_DIR curl/curl.h REQUIRED)
find_library(CURL_LIBRARY curl REQUIRED)
add_library(saccade_curl INTERFACE)
target_include_directories(saccade_curl SYSTEM INTERFACE "${CURL_INCLUDE_DIR}")
target_link_libraries(saccade_curl INTERFACE "${CURL_LIBRARY}")

find_path(GLPK_INCLUDE_DIR glpk.h REQUIRED)
find_library(GLPK_LIBRARY glpk REQUIRED)
add_library(saccade_glpk INTERFACE)
target_include_directories(saccade_glpk SYSTEM INTERFACE "${GLPK_INCLUDE_DIR}")
target_link_libraries(saccade_glpk INTERFACE "${GLPK_LIBRARY}")

# The metrics' data model and text format alone, not the server and the client that come with them.
find_path(PROMETHEUS_INCLUDE_DIR prometheus/text_serializer.h REQUIRED)
find_library(PROMETHEUS_CORE_LIBRARY prometheus-cpp-core REQUIRED)
add_library(saccade_prometheus INTERFACE)
target_include_directories(saccade_prometheus SYSTEM INTERFACE "${PROMETHEUS_INCLUDE_DIR}")
target_link_libraries(saccade_prometheus INTERFACE "${PROMETHEUS_CORE_LIBRARY}")

# Only the modules that are needed: Debian ships OpenCV's CMake package with the whole library alone.
find_path(OPENCV_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
add_library(saccade_opencv INTERFACE)
target_include_directories(saccade_opencv SYSTEM INTERFACE "${OPENCV_INCLUDE_DIR}")
foreach(module core imgproc imgcodecs videoio dnn)
  find_library(OPENCV_${module}_LIBRARY opencv_${module} REQUIRED)
  target_link_libraries(saccade_opencv INTERFACE "${OPENCV_${module}_LIBRARY}")
endforeach()

# FFmpeg's libraries, which OpenCV brings into the process in any case.
find_path(LIBAV_INCLUDE_DIR libavformat/avformat.h REQUIRED)
add_library(saccade_libav INTERFACE)
target_include_directories(saccade_libav SYSTEM INTERFACE "${LIBAV_INCLUDE_DIR}")
foreach(library avformat avcodec swscale avutil)
  find_library(LIBAV_${library}_LIBRARY ${library} REQUIRED)
  target_link_libraries(saccade_libav INTERFACE "${LIBAV_${library}_LIBRARY}")
endforeach()

# ONNX's messages and shape inference, from the shared libraries: ONNX Runtime of Debian 13 and OpenCV bring the same ones
# into the process, and a second copy of protobuf or of these messages would end it at the start. The macros
# are those that Debian builds the library with.
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h REQUIRED)
find_path(PROTOBUF_INCLUDE_DIR google/protobuf/message.h REQUIRED)
find_library(ONNX_PROTO_LIBRARY NAMES libonnx_proto.so onnx_proto REQUIRED)
find_library(ONNX_LIBRARY NAMES libonnx.so onnx REQUIRED)  # infers the shapes inside a network
find_library(PROTOBUF_LIBRARY NAMES libprotobuf.so protobuf REQUIRED)
add_library(saccade_onnx INTERFACE)
target_include_directories(saccade_onnx SYSTEM INTERFACE "${ONNX_INCLUDE_DIR}" "${PROTOBUF_INCLUDE_DIR}")
target_compile_definitions(saccade_onnx INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
target_link_libraries(saccade_onnx INTERFACE "${ONNX_LIBRARY}" "${ONNX_PROTO_LIBRARY}" "${PROTOBUF_LIBRARY}")

# ONNX Runtime is loaded with dlopen; only its C header is needed to build. scripts/setup puts header
# and library below .deps/onnxruntime where the distribution has no package.
set(SACCADE_ONNXRUNTIME_ROOT "${CMAKE_SOURCE_DIR}/.deps/onnxruntime" CACHE PATH "Prefix of ONNX Runtime")
find_path(ONNXRUNTIME_INCLUDE_DIR onnxruntime_c_api.h
  HINTS "${SACCADE_ONNXRUNTIME_ROOT}/include" PATH_SUFFIXES onnxruntime onnxruntime/core/session)
find_library(ONNXRUNTIME_LIBRARY NAMES onnxruntime libonnxruntime.so.1
  HINTS "${SACCADE_ONNXRUNTIME_ROOT}/lib")
add_library(saccade_onnxruntime INTERFACE)
if(ONNXRUNTIME_INCLUDE_DIR AND ONNXRUNTIME_LIBRARY)
  message(STATUS "ONNX Runtime: ${ONNXRUNTIME_LIBRARY}")
  # A package names the library without a path, so that it is looked for where it is installed.
  set(SACCADE_ONNXRUNTIME_DLOPEN "${ONNXRUNTIME_LIBRARY}" CACHE STRING "What is given to dlopen")
  target_include_directories(saccade_onnxruntime SYSTEM INTERFACE "${ONNXRUNTIME_INCLUDE_DIR}")
  target_link_libraries(saccade_onnxruntime INTERFACE ${CMAKE_DL_LIBS})
else()
  message(STATUS "ONNX Runtime: not found; engines run on OpenCV DNN (scripts/setup provides it)")
endif()
