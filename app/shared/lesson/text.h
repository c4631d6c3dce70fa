/// What a lesson's text names, and the text as it is shown.
#pragma once

#include "app/shared/lesson/lesson.h"

namespace tw::lesson {

/// "{kernel.speed}" is a fact, "[words](view:roofline)" a view, "![words](a.svg)" a picture.
std::vector<Mention> mentions_of(std::string_view line);

/// A fact as one sees it: "3.26", "12.4 ms", "L1".
std::string value_words(std::string const& fact, std::optional<session::FactValue> const& value);

}  // namespace tw::lesson
