/// What one kind of C has otherwise than another: plain data.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/ir/handles.h"
#include "engine/tensor/dtype.h"

namespace tw::c_text {

/// Vectors of two and four lanes whose components are x, y, z and w.
struct Vectors {
  /// Empty: there is none of these elements. Null: the dialect has no vectors.
  std::string (*type)(DType element, int lanes) = nullptr;
  /// What reads one from the tensor, of which `element` is the first lane.
  std::string (*load)(ir::BufferNode const& tensor, int lanes,
                      std::string const& element) = nullptr;
  /// What writes `value` there, without ";".
  std::string (*store)(ir::BufferNode const& tensor, int lanes, std::string const& element,
                       std::string const& value) = nullptr;
  /// A vector must stand at a multiple of its size.
  bool are_aligned = false;
  /// Bytes that places of first elements are multiples of: of parameters, of what a block shares.
  int64_t tensor_alignment = 0, shared_alignment = 0;
};

/// Floats of 16 bits, which lie in memory as whole numbers without sign, are computed as f32 and
/// rounded after each operation: every dialect has that, whatever its device computes with.
struct NarrowFloats {
  /// Statements of functions of `x`: the number that bits of f16 stand for, and the bits of the
  /// nearest f16. Empty: the dialect has no floats of 16 bits.
  std::string_view from_half = {}, to_half = {};
  /// Functions that take bits of f32 for a number, and a number for its bits.
  std::string_view single_of = {}, bits_of = {};
};

struct Dialect {
  std::string_view name;  ///< for people: "OpenCL C"
  /// Words beside C's own that no tensor or variable may be called, each between blanks.
  std::string_view reserved = " ";
  std::string_view helper_head = "static";  ///< what a helper's definition begins with
  /// Of one element in memory.
  std::string (*type)(DType) = nullptr;
  std::string_view single_suffix = "f";  ///< of mathematical functions of f32: "expf"
  /// What a mathematical function is called instead; empty: there is none. Null: by its name.
  std::string (*function)(std::string_view name, DType type) = nullptr;
  /// Sums, differences and products of signed numbers wrap around. Where they do not, those that
  /// are not known to fit are computed without sign.
  bool wraps = false;
  /// Indices are of 32 bits where all that leads to them fits.
  bool narrow_indices = false;
  /// What a helper does when it is to divide by zero, a statement that may return. It may name
  /// `fault`, which is then a parameter of that type, handed on by whoever calls.
  std::string_view on_division_by_zero;
  std::string_view fault_type = {};
  /// Before an unrolled loop; empty: nothing.
  std::string_view unroll = {};
  Vectors vectors = {};
  NarrowFloats narrow = {};
  /// Before the declaration of a tensor, by its scope (`kStackScope`, `kSharedScope`).
  std::map<std::string, std::string, std::less<>> scopes = {};
  /// What a bound loop's counter is, by its axis: "get_local_id(0)".
  std::map<std::string, std::string, std::less<>> axes = {};
  /// Lines of statements for calls, by the instruction's name: "%0", "%1" stand for the address of
  /// what the operand begins with, or for the number that it is; "%%" for "%".
  std::map<std::string, std::string, std::less<>> calls = {};
};

}  // namespace tw::c_text
