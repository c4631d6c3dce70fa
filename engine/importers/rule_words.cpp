#include "engine/importers/rule_words.h"
#include "engine/tensor/integers.h"

#include <fmt/format.h>

namespace tw::rules {
namespace {

constexpr char kKnownAtRunTime[] = "known_at_run_time";

template <typename T>
T attribute_or(ForeignNode const& node, std::string_view name, T otherwise) {
  auto found = node.attributes.find(std::string(name));
  if (found == node.attributes.end()) return otherwise;
  T const* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

}  // namespace

int64_t foreign_integer(ForeignNode const& node, std::string_view name, int64_t otherwise) {
  return attribute_or<int64_t>(node, name, otherwise);
}

double foreign_number(ForeignNode const& node, std::string_view name, double otherwise) {
  return attribute_or<double>(node, name, otherwise);
}

std::string foreign_text(ForeignNode const& node, std::string_view name, std::string otherwise) {
  return attribute_or<std::string>(node, name, std::move(otherwise));
}

std::vector<int64_t> foreign_integers(ForeignNode const& node, std::string_view name,
                                      std::vector<int64_t> otherwise) {
  return attribute_or<std::vector<int64_t>>(node, name, std::move(otherwise));
}

bool foreign_has(ForeignNode const& node, std::string_view name) {
  return node.attributes.count(std::string(name)) > 0;
}

Converted keep_inputs(ForeignContext const& context, size_t count, Attributes attributes) {
  Converted converted;
  converted.attributes = std::move(attributes);
  for (size_t i = 0; i < count && i < context.node.inputs.size(); ++i)
    converted.inputs.push_back(context.node.inputs[i]);
  return converted;
}

Convert keep_first(size_t count) {
  return [count](ForeignContext const& context) -> Result<Converted> {
    return keep_inputs(context, count);
  };
}

Result<Converted> keep_one(ForeignContext const& context) { return keep_inputs(context, 1); }

Result<Converted> keep_all(ForeignContext const& context) {
  return keep_inputs(context, context.node.inputs.size());
}

Convert keep_numbers(std::vector<KeptNumber> numbers) {
  return [numbers = std::move(numbers)](ForeignContext const& context) -> Result<Converted> {
    Attributes attributes;
    for (KeptNumber const& one : numbers)
      attributes[one.name] = foreign_number(context.node, one.name, one.otherwise);
    return keep_inputs(context, 1, attributes);
  };
}

std::unexpected<Error> unsupported(std::string message) {
  return bad_input("unsupported", std::move(message));
}

std::unexpected<Error> known_at_run_time(std::string const& what) {
  return bad_input(kKnownAtRunTime, fmt::format("{} is computed while the model runs", what));
}

bool is_known_at_run_time(Error const& error) { return error.code == kKnownAtRunTime; }

bool fits_a_double(NDArray const& constant) {
  NDArray element = NDArray::create(constant.type(), {}).value();
  element.set_value(0, constant.value_at(0));
  return is_float(constant.type()) || integer_at(element, 0) == integer_at(constant, 0);
}

bool input_given(ForeignContext const& context, size_t input) {
  return input < context.node.inputs.size() && !context.node.inputs[input].empty();
}

Result<std::vector<int64_t>> constant_integers(ForeignContext const& context, size_t input,
                                               char const* what) {
  if (!input_given(context, input)) return unsupported(fmt::format("{} is missing", what));
  NDArray const& constant = context.constants[input];
  if (constant.empty()) return known_at_run_time(what);
  if (constant.shape().size() > 1 || is_float(constant.type()))
    return unsupported(fmt::format("{} is not a list of integers", what));
  std::vector<int64_t> list;
  for (int64_t i = 0; i < constant.size(); ++i) {
    double value = constant.value_at(i);
    if (constant.type() == DType::kU64 && value >= 0x1p63)
      return unsupported(fmt::format("{} contains {}, which is too large", what, value));
    list.push_back(constant.type() == DType::kI64 ? constant.as<int64_t>()[size_t(i)]
                                                  : int64_t(value));
  }
  return list;
}

Result<std::vector<double>> constant_numbers(ForeignContext const& context, size_t input,
                                             char const* what) {
  if (!input_given(context, input)) return unsupported(fmt::format("{} is missing", what));
  NDArray const& constant = context.constants[input];
  if (constant.empty()) return known_at_run_time(what);
  if (constant.shape().size() > 1 || !is_float(constant.type()))
    return unsupported(fmt::format("{} is not a list of numbers", what));
  std::vector<double> list;
  for (int64_t i = 0; i < constant.size(); ++i) list.push_back(constant.value_at(i));
  return list;
}

}  // namespace tw::rules
