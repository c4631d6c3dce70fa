/// Where the tests' programs and files lie. Functions, not macros: a test's object does not depend
/// on the folder that it is built in, so that a compiler's cache knows it in every clone.
#pragma once

#include <string>

namespace tw::testing {

/// Of the build folder and of the source folder: built("/bin/tw"). They live as long as the
/// process.
char const* built(std::string const& path = {});
char const* source(std::string const& path = {});
/// Models with stored outputs, and ONNX's node tests; empty or absent where there are none.
char const* shared_models(std::string const& path = {});
char const* onnx_testdata(std::string const& path = {});

}  // namespace tw::testing
