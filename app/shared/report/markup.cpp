#include "app/shared/report/markup.h"

#include <fmt/format.h>

#include "engine/support/markup.h"

namespace tw::report {

namespace {

std::string class_of(std::string_view name) {
  return name.empty() ? "" : fmt::format(" class=\"{}\"", name);
}

std::string title_of(std::string_view title) {
  return title.empty() ? "" : fmt::format("<title>{}</title>", escaped_markup(title));
}

}  // namespace

std::string element(std::string_view tag, std::string_view text, std::string_view name) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, class_of(name), escaped_markup(text));
}

Drawing::Drawing(double width, double height, std::string_view title)
    : svg_(fmt::format("<svg role=\"img\" aria-label=\"{2}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                       "width=\"{0:.0f}\" height=\"{1:.0f}\">\n",
                       width, height, escaped_markup(title))) {}

void Drawing::rect(double x, double y, double width, double height, std::string_view name,
                   double corner) {
  svg_ += fmt::format(
      "<rect{} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\"/>\n",
      class_of(name), x, y, width, height, corner);
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view name) {
  svg_ += fmt::format("<line{} x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                      class_of(name), x1, y1, x2, y2);
}

void Drawing::circle(double x, double y, double radius, std::string_view name,
                     std::string_view title) {
  svg_ += fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">{}</circle>\n",
                      class_of(name), x, y, radius, title_of(title));
}

void Drawing::diamond(double x, double y, double radius, std::string_view name,
                      std::string_view title) {
  svg_ += fmt::format(
      "<polygon{} points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\">{}"
      "</polygon>\n",
      class_of(name), x - radius, y, x, y - radius, x + radius, y, x, y + radius, title_of(title));
}

void Drawing::text(double x, double y, std::string_view words, std::string_view name,
                   std::string_view anchor) {
  svg_ += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                      class_of(name), x, y, anchor, escaped_markup(words));
}

}  // namespace tw::report
