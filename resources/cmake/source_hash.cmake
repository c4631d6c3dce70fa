# cmake -D FOLDER=... -D LIST=... -D OUT=... -P source_hash.cmake: writes a header with one hash of
# all files named in LIST (one a line, relative to FOLDER), and touches it only when that changes.
file(STRINGS ${LIST} files)
set(all "")
foreach(file ${files})
  if(EXISTS ${FOLDER}/${file})
    file(SHA256 ${FOLDER}/${file} hash)
    string(APPEND all "${file} ${hash}\n")
  endif()
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 32 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT "// Written by the build.\n#define TW_SOURCE_HASH \"${hash}\"\n")
