/// What rules are written with: reading a foreign node, keeping what needs no conversion.
#pragma once

#include "engine/importers/converter.h"

namespace tw::rules {

/// The attribute, or `otherwise` when it is absent or of another kind.
int64_t foreign_integer(ForeignNode const& node, std::string_view name, int64_t otherwise);
double foreign_number(ForeignNode const& node, std::string_view name, double otherwise);
std::string foreign_text(ForeignNode const& node, std::string_view name, std::string otherwise);
std::vector<int64_t> foreign_integers(ForeignNode const& node, std::string_view name,
                                      std::vector<int64_t> otherwise = {});
bool foreign_has(ForeignNode const& node, std::string_view name);

/// Keeps the first `count` inputs as they are.
Converted keep_inputs(ForeignContext const& context, size_t count, Attributes attributes = {});
/// The same as the whole conversion.
Convert keep_first(size_t count);
Result<Converted> keep_one(ForeignContext const& context);
Result<Converted> keep_all(ForeignContext const& context);

/// A number among the attributes that has our name, too; `otherwise` when the node has none.
struct KeptNumber {
  std::string name;
  double otherwise = 0;
};
/// Keeps the first input and the numbers.
Convert keep_numbers(std::vector<KeptNumber> numbers);

bool input_given(ForeignContext const& context, size_t input);
/// Whether a constant of one element is the same number as a double, which an attribute is: an
/// integer may have too many digits.
bool fits_a_double(NDArray const& constant);
/// Integers of a constant operand of rank at most 1. Errors: unsupported, `known_at_run_time`.
Result<std::vector<int64_t>> constant_integers(ForeignContext const& context, size_t input,
                                               char const* what);
/// The same for floats.
Result<std::vector<double>> constant_numbers(ForeignContext const& context, size_t input,
                                             char const* what);

/// A foreign node that we cannot express: code `unsupported`.
std::unexpected<Error> unsupported(std::string message);
/// An operand is not constant, which it becomes when the model runs: "the start of the slice is
/// computed while the model runs".
std::unexpected<Error> known_at_run_time(std::string const& what);
bool is_known_at_run_time(Error const& error);

}  // namespace tw::rules
