/// Pieces of HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace tw::report {

/// `<tag class="name">text</tag>`; the text is escaped.
std::string element(std::string_view tag, std::string_view text, std::string_view name = {});

/// A drawing with its coordinates in pixels. It has classes instead of colours: the page's style
/// gives them.
class Drawing {
public:
  Drawing(double width, double height, std::string_view title);
  void rect(double x, double y, double width, double height, std::string_view name,
            double corner = 4);
  void line(double x1, double y1, double x2, double y2, std::string_view name);
  void circle(double x, double y, double radius, std::string_view name,
              std::string_view title = {});
  void diamond(double x, double y, double radius, std::string_view name, std::string_view title);
  /// `anchor`: "start", "middle" or "end"; y is the base line.
  void text(double x, double y, std::string_view words, std::string_view name = {},
            std::string_view anchor = "start");
  std::string done() const { return svg_ + "</svg>\n"; }

private:
  std::string svg_;
};

}  // namespace tw::report
