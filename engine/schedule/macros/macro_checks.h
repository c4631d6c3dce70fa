/// What can be said of a macro's steps before they meet a program.
#pragma once

#include "engine/schedule/macros/macro_set.h"

namespace tw {

/// Each step is a primitive or a macro of the set, written as that asks for, with names that the
/// macro has; and the macro does not come to use itself. Errors: unknown_primitive, unknown_name,
/// wrong_target, name_taken, bad_argument, those of a step's form, macro_cycle; each with line and,
/// where it is about a word, column.
Status check_macro(Macro const& macro, MacroSet const& macros);

/// Of `primitive_table`: no macro, as `find_primitive` gives, too, once those are read.
Primitive const* primitive_of_table(std::string_view name);

/// The primitive, or the head of the macro, of this name; null: there is none.
Primitive const* head_of(std::string_view step, MacroSet const& macros);

}  // namespace tw
