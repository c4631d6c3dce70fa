/// A step in few words, for places where its line does not fit.
#pragma once

#include <string>
#include <string_view>

namespace tw::session {

/// "split o 16" of "o.0, o.1 = split(conv2d.o, factor=16)": the primitive and its arguments without
/// their names and without the stages of loops. What is no single step stays as it is.
std::string short_step(std::string_view line);

}  // namespace tw::session
