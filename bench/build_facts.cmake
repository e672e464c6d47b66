# cmake -DSOURCE=DIR -DOUTPUT=FILE -DSACCADE_FLAGS=TEXT -P build_facts.cmake
# Runs with every build; the file changes only when the commit does.
execute_process(COMMAND git -C "${SOURCE}" describe --always --abbrev=12 --exclude=*
  OUTPUT_VARIABLE SACCADE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(SACCADE_COMMIT "unknown")
else()  # what benches write themselves is not what was built
  execute_process(COMMAND git -C "${SOURCE}" diff --quiet HEAD -- . ":(exclude)docs" ":(exclude)README.md"
    RESULT_VARIABLE differs)
  if(differs)
    string(APPEND SACCADE_COMMIT "-dirty")
  endif()
endif()
configure_file("${SOURCE}/bench/build_facts.hpp.in" "${OUTPUT}" @ONLY)
