/// Text in HTML, XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace tw {

/// As text and as the value of an attribute: no sign of it is markup. Control signs, which a name
/// may have in it and which would end the page for a reader, are left out.
std::string escaped_markup(std::string_view text);

}  // namespace tw
