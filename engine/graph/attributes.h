/// A node's attributes: a small closed set of value kinds, by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/tensor/ndarray.h"

namespace tw {

using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>, NDArray>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

/// The attribute, or `otherwise` when it is absent or of another kind.
int64_t integer(Attributes const& attributes, std::string_view name, int64_t otherwise = 0);
double number(Attributes const& attributes, std::string_view name, double otherwise = 0);
std::string text(Attributes const& attributes, std::string_view name, std::string otherwise = {});
std::vector<int64_t> integers(Attributes const& attributes, std::string_view name,
                              std::vector<int64_t> otherwise = {});
std::vector<double> numbers(Attributes const& attributes, std::string_view name);
/// The tensor, or an empty one.
NDArray tensor(Attributes const& attributes, std::string_view name);
bool has(Attributes const& attributes, std::string_view name);

/// "strides=[2, 2], group=1"; tensors by content hash. Empty for no attributes.
std::string to_text(Attributes const& attributes);

}  // namespace tw
