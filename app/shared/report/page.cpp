#include <fmt/format.h>

#include "app/shared/report/markup.h"
#include "app/shared/report/parts.h"
#include "app/shared/report/style.h"
#include "engine/session/facts/facts.h"
#include "engine/session/model_roofline.h"
#include "engine/support/base/quantities.h"
#include "engine/support/markup.h"

namespace tw::report {
namespace {

/// As exact as it is known, for who reads the page by program.
std::string exact(session::FactValue const& value) {
  if (auto const* words = std::get_if<std::string>(&value)) return *words;
  return fmt::format("{}", std::get<double>(value));
}

std::string row(std::string const& name, std::string const& value) {
  return value.empty() ? "" : "<tr>" + element("th", name) + element("td", value) + "</tr>\n";
}

std::string title_of(Contents const& contents) {
  if (contents.what == What::kModel) return contents.now.model->name;
  return contents.now.kernels->rows[size_t(contents.now.kernel)].name;
}

}  // namespace

std::string figure(std::string const& fact, std::string const& shown, std::string const& words,
                   Contents const& contents) {
  auto value = session::fact(fact, contents.now, {});
  if (!value || shown.empty()) return {};
  return fmt::format("<div class=\"figure\" data-fact=\"{}\" data-value=\"{}\"><b>{}</b>{}</div>\n",
                     fact, escaped_markup(exact(*value)), escaped_markup(shown),
                     element("span", words));
}

std::string machine_part(Contents const& contents) {
  session::MachineView const* machine = contents.now.machine.get();
  std::string text = "<section id=\"machine\"><h2>Machine</h2>\n<table>\n";
  if (machine) {
    text += row("Machine", machine->name);
    text += row("Hardware", machine->kind);
    text += row("Memories", machine->detail);
    text += row("Device", machine->device);
    text += row("Threads", std::to_string(machine->threads));
    text += row("Code for", machine->target);
    for (session::RoofView const& roof : machine->roofs)
      text += row(roof.name, speed_text(roof.value, session::unit_of(roof)) + ", " +
                                 count_text(roof.cores, "core"));
    if (machine->roofs_doubtful)
      text += row("Note", "the roofs were measured while other programs used the processor");
  }
  text += row("Compiler",
              contents.version + (contents.compiler.empty() ? "" : ", " + contents.compiler));
  return text + "</table></section>\n";
}

std::string to_html(Contents const& contents) {
  bool of_kernel = contents.what == What::kKernel;
  std::string title = title_of(contents);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"/>\n<title>{}</title>\n<style>\n{}</style></head>\n<body><main>\n",
      escaped_markup(title), style_sheet());
  page += "<header>" + element("h1", title) +
          element("p", (of_kernel ? "A kernel of " + contents.now.model->name
                                  : contents.now.model->summary) +
                           (contents.now.machine ? " · " + contents.now.machine->name : "") +
                           " · " + contents.date) +
          "</header>\n";
  page += of_kernel ? kernel_part(contents) : model_part(contents);
  page += machine_part(contents);
  page += "<footer>" +
          escaped_markup("Made by " + contents.version +
                         ". Solid points and times without a mark are measured; hollow ones are "
                         "modelled.") +
          "</footer>\n</main></body></html>\n";
  return page;
}

}  // namespace tw::report
