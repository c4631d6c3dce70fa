/// Just enough JSON for a package's description, with nothing but the standard library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::json {

enum class Kind : uint8_t { kNull, kBool, kNumber, kText, kList, kObject };

struct Member;

/// Numbers are whole ones of 64 bits: a description has no others.
struct Value {
  Kind kind = Kind::kNull;
  int64_t number = 0;  ///< of a bool: 0 or 1
  std::string text;
  std::vector<Value> items;     ///< of a list
  std::vector<Member> members;  ///< of an object, in their order

  /// Null where the object has no such member, and where this is no object.
  Value const* find(std::string_view name) const;
};

struct Member {
  std::string name;
  Value value;
};

/// Nests at most 100 deep. Errors: bad_json, with the place's byte.
Result<Value> parse(std::string_view text);

/// `text` in quotes, with everything escaped that must be.
std::string quoted(std::string_view text);

}  // namespace tw::json
