# What is installed, and the Debian package (scripts/package). The folders are those of a package:
# program, manual, unit, default configuration, the shipped networks with their profiles, examples.
include(GNUInstallDirs)

install(TARGETS saccade RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES app/packaging/saccade.service app/packaging/saccade-fleet.service DESTINATION lib/systemd/system)
install(FILES app/packaging/saccade.json DESTINATION /etc/saccade)
install(DIRECTORY profiles/zoo/ DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/profiles/zoo
  PATTERN "make" EXCLUDE PATTERN "*.journal" EXCLUDE PATTERN "*training.json" EXCLUDE PATTERN "README.md" EXCLUDE)
install(DIRECTORY profiles/h100/ DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/profiles/h100
  PATTERN "README.md" EXCLUDE)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/examples
  PATTERN "CMakeLists.txt" EXCLUDE PATTERN "*.cpp" EXCLUDE PATTERN "control" EXCLUDE PATTERN "subscribers" EXCLUDE)
# Scripts, which need an interpreter that the package does not depend on: where Debian puts these.
install(DIRECTORY examples/control examples/subscribers DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade)
install(FILES README.md GLOSSARY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES app/packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES app/packaging/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME saccade)
# Made by scripts/package from the program's own help.
install(DIRECTORY "${CMAKE_BINARY_DIR}/man/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES "${CMAKE_BINARY_DIR}/changelog.gz" DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
# Where the distribution has no package of ONNX Runtime, the library that scripts/setup provided goes
# along, in a folder of its own that only this program looks into.
if(ONNXRUNTIME_LIBRARY MATCHES "^${SACCADE_ONNXRUNTIME_ROOT}/")
  install(FILES "${ONNXRUNTIME_LIBRARY}" DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/saccade)
  set_target_properties(saccade PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib/saccade")
else()
  # Opened when it is first asked for, so that no tool sees that it is needed.
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libonnxruntime1.21")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saccade)
set(CPACK_PACKAGE_VENDOR "The Saccade authors")
set(SACCADE_MAINTAINER "The Saccade authors <saccade@localhost>" CACHE STRING
  "Maintainer of the Debian package: NAME <ADDRESS> of whoever distributes it")
set(CPACK_PACKAGE_CONTACT "${SACCADE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "scheduler of vision tasks on several cameras and one small device")
set(CPACK_PACKAGE_DESCRIPTION
"Every camera task has several profiled variants of its network. Saccade picks
 one per task with an integer program, so that all cameras keep their frame
 rate at the best accuracy, the least energy or the least memory that the
 device allows right now, and switches engines without losing a frame.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)  # all processors compress
foreach(part conffiles postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/app/packaging/${part}")
endforeach()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
