# Third-party libraries, each as one target of this project's own naming, included as system headers.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)

find_path(SYSTEMD_INCLUDE_DIR systemd/sd-daemon.h REQUIRED)
find_library(SYSTEMD_LIBRARY systemd REQUIRED)
add_library(saccade_systemd INTERFACE)
target_include_directories(saccade_systemd SYSTEM INTERFACE "${SYSTEMD_INCLUDE_DIR}")
target_link_libraries(saccade_systemd INTERFACE "${SYSTEMD_LIBRARY}")

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
