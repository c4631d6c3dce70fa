/// What is written into an exported folder for people.
#pragma once

#include <string>
#include <string_view>

#include "engine/package/self_test.h"
#include "engine/runtime/package/description.h"

namespace tw {

/// A comment at the head of `file` ("example.cpp", "example.py") that names this model's tensors.
std::string about_model(package::Description const& description, std::string const& file);

/// What a README says beside the description and the self-test.
struct ReadmeNotes {
  std::string origin;  ///< of the expected outputs
  std::string note;    ///< a sentence without its full stop; may be empty
  std::string needs;   ///< as `needs_of` says it
};

/// README.txt: what the files are, how to build against them, what they need of a system, what the
/// self-test said.
std::string readme(package::Description const& description, SelfTest const& test,
                   ReadmeNotes const& notes);

/// "glibc 2.34, libstdc++ with GLIBCXX_3.4.30": the newest versions that ELF files ask for; empty
/// where they ask for none.
std::string needs_of(std::string_view files);

}  // namespace tw
