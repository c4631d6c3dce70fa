#include "engine/package/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "engine/package/simulated.h"
#include "engine/runtime/package/accelerator.h"
#include "engine/support/base/quantities.h"
#include "engine/tensor/ndarray.h"

namespace tw {
namespace {

/// Names come from a file: a line break in one would end the comment.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (uint8_t(c) < 0x20 || c == '\\') c = '?';
  return text;
}

std::string tensor_lines(package::Description const& d, std::string const& prefix) {
  std::string lines;
  auto list = [&](char const* kind, std::vector<package::Tensor> const& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i)
      lines += fmt::format("{}{} {}: {}, {} {}\n", prefix, kind, i, on_one_line(tensors[i].name),
                           to_text(tensors[i].type), to_text(tensors[i].shape));
  };
  list("input", d.inputs);
  list("output", d.outputs);
  return lines;
}

constexpr char kFiles[] =
    R"(model.json                what runs in which order, where tensors lie, how each kernel was scheduled
{:<25} the kernels; called through the table in their argument, without undefined symbols
parameters.bin            the weights as the kernels read them
libtilewright_runtime.so.1  loads and runs the three (libtilewright_runtime.so: its name for linkers)
tilewright.h              its C interface, with DLPack for buffers of your own
example.cpp, example      runs the model on test/; build it with
    c++ -O2 -std=c++17 example.cpp -o example -L. -ltilewright_runtime -Wl,-rpath,'$ORIGIN'
example.py                the same with ctypes and numpy
cmake/, pkgconfig/        for build systems: find_package(tilewright CONFIG PATHS THIS_FOLDER) gives
                          tilewright::runtime; PKG_CONFIG_PATH=THIS_FOLDER/pkgconfig pkg-config tilewright
test/                     raw inputs and outputs, little-endian; how far other outputs may be from
                          them, over the largest value
tilewright-export.txt     what the export wrote: a later one into this folder replaces that and nothing else

)";

constexpr char kAccelerator[] =
    R"({0}, {1}: what runs on an accelerator of the target {2}{3}, and what drives it.
)";
constexpr char kSimulated[] =
    R"(With TILEWRIGHT_SIMULATE=1 in the environment a simulator takes its place.

)";
constexpr char kDriven[] =
    R"(The driver is opened when a model is loaded, and compiles the kernels then: it must be there, nothing
is linked. Of several devices the first GPU is taken, or with TILEWRIGHT_{}_DEVICE=NAME in the
environment the one whose name contains NAME.

)";

constexpr char kNeeds[] =
    R"(What it needs: Linux with {}, or newer. The kernels are loaded from memory by way of
/proc/self/fd; where /proc is not mounted, from a private file in the first of /dev/shm, $TMPDIR,
/tmp and /var/tmp that takes one and lets code be loaded from it, removed at once. (Without /proc the
system does not know $ORIGIN either: LD_LIBRARY_PATH then says where the runtime library is.) tw_load
starts as many threads as it is told, less one (0: as many as cores); each keeps to one core, and so
does the caller while it is in tw_run. They spin for 50 us after a loop and then sleep; tw_free ends
them.

)";

constexpr char kLicence[] =
    "\nThe runtime library, tilewright.h and the examples: Apache-2.0 WITH LLVM-exception.\n";

/// The largest "1.2.3" behind the prefix anywhere in the bytes.
std::string newest_version(std::string_view files, std::string_view prefix) {
  std::vector<int> newest;
  for (size_t at = files.find(prefix); at != files.npos; at = files.find(prefix, at + 1)) {
    std::string_view rest = files.substr(at + prefix.size());
    std::vector<int> version;
    for (int number = 0;;) {
      auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc()) break;
      version.push_back(number);
      rest.remove_prefix(size_t(end - rest.data()));
      if (!rest.starts_with('.')) break;
      rest.remove_prefix(1);
    }
    newest = std::max(newest, version);
  }
  return fmt::format("{}", fmt::join(newest, "."));
}

std::string accelerator_lines(package::Site const& site) {
  std::string name = site.target.name, processor = site.target.processor, upper = name;
  for (char& c : upper) c = char(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(kAccelerator, site.library.name, package::accelerator_library(name), name,
                     processor.empty() ? "" : fmt::format(" ({})", processor)) +
         (has_simulator(site) ? kSimulated : fmt::format(kDriven, upper));
}

std::string test_lines(SelfTest const& test, std::string const& origin) {
  if (!test.ran)
    return fmt::format("It was not tested on the machine that exported it: {}.\n", test.reason);
  std::string where = test.emulator.empty()
                          ? fmt::format("{} at best on {}", milliseconds_text(test.least_ms),
                                        count_text(test.threads, "thread"))
                          : fmt::format("under {}, whose times are not meaningful", test.emulator);
  return fmt::format(
      "The exported example was tested, stand-alone, on the inputs in test/: {}.\n"
      "Its outputs differ from {} by at most {:.3g}; the largest value is {:.3g}.\n",
      where, origin, test.largest_difference, test.largest_value);
}

}  // namespace

std::string about_model(package::Description const& d, std::string const& file) {
  bool python = file.ends_with(".py");
  std::string prefix = python ? "# " : "// ";
  // An interpreter's line must stay the first one.
  return (python ? "#!/usr/bin/env python3\n" : "") +
         fmt::format("{}{}, exported by {}\n", prefix, on_one_line(d.name), d.made_by) +
         tensor_lines(d, prefix) + prefix.substr(0, prefix.size() - 1) + "\n";
}

std::string needs_of(std::string_view files) {
  std::string libc = newest_version(files, "GLIBC_"), cxx = newest_version(files, "GLIBCXX_");
  std::string needs;
  if (!libc.empty()) needs += "glibc " + libc;
  if (!cxx.empty()) needs += (needs.empty() ? "" : ", ") + ("libstdc++ with GLIBCXX_" + cxx);
  return needs;
}

std::string readme(package::Description const& d, SelfTest const& test, ReadmeNotes const& notes) {
  std::string accelerators;
  for (package::Site const& site : d.elsewhere) accelerators += accelerator_lines(site);
  std::string processor = d.target.processor;
  if (!d.target.features.empty())
    processor += fmt::format("; needs {}", fmt::join(d.target.features, " "));
  std::string head = fmt::format(
      "{}, exported by {} for {}{}.\n\n{}\n", on_one_line(d.name), d.made_by, d.target.architecture,
      processor.empty() ? "" : fmt::format(" ({})", processor), tensor_lines(d, ""));
  std::string needs = fmt::format(kNeeds, notes.needs.empty() ? "glibc, libstdc++" : notes.needs);
  return head + fmt::format(kFiles, d.library.name) + accelerators + needs +
         (notes.note.empty() ? "" : on_one_line(notes.note) + ".\n") +
         test_lines(test, notes.origin) + kLicence;
}

}  // namespace tw
