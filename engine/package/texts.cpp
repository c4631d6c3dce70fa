#include "engine/package/texts.h"

#include <fmt/format.h>

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

std::string test_lines(SelfTest const& test, std::string const& origin) {
  if (!test.ran)
    return fmt::format("It was not run on the machine that wrote it: {}.\n", test.reason);
  std::string where = test.emulator.empty()
                          ? fmt::format("{:.3f} ms at best on {} thread{}", test.least_ms,
                                        test.threads, test.threads == 1 ? "" : "s")
                          : fmt::format("under {}, whose times say nothing", test.emulator);
  return fmt::format(
      "Before this folder got its name the example ran in it, alone, on the inputs in test/: {}.\n"
      "Its outputs differ from {} by {:.3g} at most, where the largest value is {:.3g}.\n",
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

std::string readme(package::Description const& d, SelfTest const& test, std::string const& origin,
                   std::string const& note) {
  return fmt::format(
      "{}, exported by {} for {} ({}{}).\n\n{}\n"
      "model.json                what runs in which order, where tensors lie, how each kernel was "
      "scheduled\n"
      "kernels.so                the kernels; called through the table in their argument, without "
      "undefined symbols\n"
      "parameters.bin            the weights as the kernels read them\n"
      "libtilewright_runtime.so  loads and runs the three; needs the C and C++ standard libraries "
      "only\n"
      "tilewright.h              its C interface\n"
      "example.cpp, example      runs the model on test/; build it with\n"
      "    c++ -O2 -std=c++17 example.cpp -o example -L. -ltilewright_runtime "
      "-Wl,-rpath,'$ORIGIN'\n"
      "example.py                the same with ctypes and numpy\n"
      "test/                     raw inputs and outputs, little-endian\n\n{}{}\n"
      "libtilewright_runtime.so, tilewright.h and the examples: Apache-2.0 WITH LLVM-exception.\n",
      on_one_line(d.name), d.made_by, d.target.architecture, d.target.processor,
      d.target.features.empty() ? "" : fmt::format("; needs {}", fmt::join(d.target.features, " ")),
      tensor_lines(d, ""), note.empty() ? "" : on_one_line(note) + ".\n", test_lines(test, origin));
}

}  // namespace tw
