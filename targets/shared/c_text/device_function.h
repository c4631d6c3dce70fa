/// Device functions of a kernel in a kind of C for devices.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "targets/shared/c_text/dialect.h"
#include "targets/shared/c_text/statements.h"

namespace tw::c_text {

/// How a dialect writes the head of a function that a host launches.
struct KernelHead {
  /// Before the name; "%x", "%y", "%z" and "%n" are the threads of a block along each axis and in
  /// all.
  std::string_view before;
  std::string_view pointer;  ///< before the type of a tensor's elements: "global "
  /// Says of a pointer that nothing else reaches its elements: no two tensors overlap.
  std::string_view restrict_word = "restrict";
  /// The declaration of the bytes that a launch gives to a block, and their name.
  std::string_view given_shared = {}, given_name = {};
  /// How a number is handed over, "@" its type.
  std::string_view number = "@";
  /// Behind each parameter, "#" its place among them; and parameters behind all others.
  std::string_view place = {};
  std::vector<std::string_view> last = {};
  /// Each tensor has a parameter more, behind it: how many elements before its first one the
  /// pointer is.
  bool has_begins = false;
};

struct DeviceText {
  std::string name;  ///< of the function
  Lines lines;
  std::map<std::string, std::string> helpers;  ///< definitions of what it calls, by name
  /// Its last parameter is the fault word, which it sets when it was to divide by zero.
  bool names_fault = false;
  size_t parameters = 0;
};

/// Helpers first, each once, then the functions.
Lines file_of(std::vector<DeviceText> const& functions);

/// Tensors that lie in one block of memory that a launch asks for, by their bytes from its begin.
using GivenShared = std::map<std::string, int64_t>;

/// The parameters: tensors in their order, then sizes as i64. `block`: threads along x, y and z.
/// `own_calls`: what is made in the place of calls. Errors: unsupported_statement,
/// unsupported_expression.
Result<DeviceText> print_device_function(Dialect const& dialect, KernelHead const& head,
                                         ir::Function const& function,
                                         std::array<int64_t, 3> const& block,
                                         ir::PrintedProgram const& lowered,
                                         GivenShared const& given = {},
                                         OwnCalls const& own_calls = {});

}  // namespace tw::c_text
