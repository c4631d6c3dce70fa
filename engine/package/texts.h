/// What is written into an exported folder for people.
#pragma once

#include <string>

#include "engine/package/self_test.h"
#include "engine/runtime/package/description.h"

namespace tw {

/// A comment at the head of `file` ("example.cpp", "example.py") that names this model's tensors.
std::string about_model(package::Description const& description, std::string const& file);

/// README.txt: what the files are, how to build against them, what the self-test said. `note`: a
/// sentence without its full stop; may be empty.
std::string readme(package::Description const& description, SelfTest const& test,
                   std::string const& origin, std::string const& note);

}  // namespace tw
