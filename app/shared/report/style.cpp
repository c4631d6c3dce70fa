#include "app/shared/report/style.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/support/base/error.h"

namespace tw::report {
namespace {

using Json = nlohmann::json;

Json theme_called(std::string const& name) {
  for (ThemeSource const& source : theme_sources())
    if (Json theme = Json::parse(source.text); theme.value("name", "") == name) return theme;
  TW_ASSERT(false, "the window has a dark and a light theme");
  return {};
}

/// "--text1:...;--hue0:...": each colour by the theme's word for it.
std::string variables_of(std::string const& name) {
  Json const theme = theme_called(name);
  std::string text;
  for (char const* word : {"window", "panel", "inset", "line1", "line2", "line3", "text1", "text2",
                           "text3", "ink", "ok", "warn", "error"})
    text += fmt::format("--{}:{};", word, theme.at(word).get<std::string>());
  for (auto const& [list, word] : {std::pair{"hues", "hue"}, {"levels", "level"}})
    for (size_t i = 0; i < theme.at(list).size(); ++i)
      text += fmt::format("--{}{}:{};", word, i, theme.at(list)[i].get<std::string>());
  return text + fmt::format("--outer:{};--inner:{};", theme.value("outer_fill", 0.3),
                            theme.value("inner_fill", 0.16));
}

constexpr char kPage[] = R"(
body{margin:0;background:var(--window);color:var(--text1);font:14px/1.5 system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:28px 20px 60px}
header{margin-bottom:20px}
h1{font-size:26px;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:17px;margin:34px 0 10px}
p{margin:6px 0;color:var(--text2)}
code,pre,.mono{font-family:'JetBrains Mono','DejaVu Sans Mono',ui-monospace,monospace}
code{font-size:12.5px;white-space:pre-wrap}
pre{font-size:12px;line-height:1.45;margin:0;padding:12px 14px;background:var(--inset);
 border:1px solid var(--line1);border-radius:6px;overflow:auto;white-space:pre}
.figures{display:flex;flex-wrap:wrap;gap:10px;margin:16px 0}
.figure{background:var(--panel);border:1px solid var(--line1);border-radius:8px;padding:10px 16px;
 min-width:110px}
.figure b{display:block;font-size:20px;font-weight:600}
.figure span{font-size:12px;color:var(--text2)}
.drawing{background:var(--panel);border:1px solid var(--line1);border-radius:8px;padding:10px;
 overflow:auto}
table{border-collapse:collapse;width:100%;background:var(--panel);border:1px solid var(--line1)}
th{font-size:12px;color:var(--text3);text-align:left;font-weight:500}
th,td{padding:6px 10px;border-bottom:1px solid var(--line1);vertical-align:top}
.wide{overflow:auto}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.share{position:relative;min-width:110px}
.share i{display:block;height:6px;margin-top:7px;border-radius:3px;background:var(--level1)}
.is-now{background:var(--inset);font-weight:600}
.off td{color:var(--text3)}
.ok{color:var(--ok)}.warn{color:var(--warn)}.error{color:var(--error)}.dim{color:var(--text3)}
details{margin:8px 0}
summary{cursor:pointer;padding:6px 2px;color:var(--text2)}
svg{display:block;height:auto;max-width:none}
svg text{font:12px system-ui,sans-serif;fill:var(--text1)}
svg .small{font-size:11px;fill:var(--text2)}
svg .dim{fill:var(--text2)}
svg .strong{font-weight:600}
svg .warn{fill:var(--warn)}
svg .mono{font-family:'JetBrains Mono','DejaVu Sans Mono',ui-monospace,monospace}
.inset{fill:var(--inset)}.grid{stroke:var(--line1)}
.peak{stroke:var(--text1);stroke-width:2.5}.roof{stroke:var(--text1);stroke-width:1.2}
.trail{stroke:var(--text2);stroke-width:1.5}.way{stroke:var(--text1);stroke-width:4}
.branch{stroke:var(--text3);stroke-width:3;stroke-dasharray:2 3}
.point{fill:var(--text2);stroke:var(--panel);stroke-width:1.5}
.now{fill:var(--ink);stroke:var(--panel);stroke-width:2}
.hollow{fill:var(--panel);stroke:var(--text2);stroke-width:1.6}
.wrong{fill:var(--panel);stroke:var(--error);stroke-width:2.4}
.outer{fill-opacity:var(--outer)}.inner{fill-opacity:var(--inner)}
.graph .card{fill:var(--panel);stroke:var(--line3);stroke-width:1.5}
.graph .edge{fill:none;stroke:var(--line3);stroke-width:1.5}
.graph .back{fill:none}.graph marker path{stroke:var(--line3)}
.graph text{font-family:'JetBrains Mono','DejaVu Sans Mono',ui-monospace,monospace}
.graph .title{font-weight:600}.graph .shape{font-size:11px;fill:var(--text3)}
.graph .chip{fill-opacity:.16}
.graph .injective rect{fill:var(--hue1)}.graph .reduction rect{fill:var(--hue2)}
.graph .complex rect{fill:var(--hue0)}.graph .opaque rect{fill:var(--hue6)}
footer{margin-top:40px;font-size:12px;color:var(--text3)}
@media print{
 body{background:none;font-size:11px}
 main{max-width:none;padding:0}
 pre{white-space:pre-wrap;overflow-wrap:anywhere;overflow:visible}
 .drawing,.wide{overflow:visible}
 svg{max-width:100%}
 h2{break-after:avoid}
 tr,.figure,.drawing{break-inside:avoid}
 details::details-content{content-visibility:visible;block-size:auto}
}
)";

}  // namespace

std::string style_sheet() {
  std::string text = fmt::format(
      ":root{{color-scheme:light dark;{}}}\n"
      "@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}",
      variables_of("light"), variables_of("dark"));
  text += kPage;
  for (int i = 0; i < 8; ++i) text += fmt::format(".hue{0}{{fill:var(--hue{0})}}", i);
  constexpr char const* kDashes[] = {"none", "9 4", "5 4", "2 4"};
  for (int i = 0; i < 4; ++i)
    text += fmt::format(
        ".level{0}{{stroke:var(--level{0});stroke-width:2;stroke-dasharray:{1}}}"
        ".level{0}.solid{{fill:var(--level{0});stroke:none}}",
        i, kDashes[i]);
  return text + "\n";
}

}  // namespace tw::report
