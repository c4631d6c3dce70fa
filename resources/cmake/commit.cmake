# cmake -D FOLDER=... -D OUT=... -P commit.cmake: writes a header with the commit of the sources, empty
# where there is no repository, and touches it only when that changes.
set(commit "")
find_program(git git)
if(git AND EXISTS ${FOLDER}/.git)
  execute_process(COMMAND ${git} -C ${FOLDER} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "// Written by the build.\n#define TW_COMMIT \"${commit}\"\n")
