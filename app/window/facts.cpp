// SPDX-License-Identifier: GPL-3.0-or-later
// What a journal may expect of the window, read from what it shows.
#include <QDialog>
#include <QFileInfo>
#include <QLabel>
#include <QTabWidget>
#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/view_names.h"
#include "engine/session/loop_words.h"

namespace tw {
namespace {

using Value = std::optional<std::variant<double, std::string>>;

template <typename T>
Value words(T const& text) {
  if constexpr (std::is_same_v<T, QString>)
    return text.toStdString();
  else
    return std::string(text);
}
template <typename T>
Value number(T value) {
  return double(value);
}
template <typename T>
Value number(std::optional<T> value) {
  return value ? Value(double(*value)) : std::nullopt;
}

Value fact_of_model(std::string const& name, session::Snapshot const& shown) {
  if (name == "model") return words(shown.model ? shown.model->name : "none");
  if (name == "model.operators") return number(shown.model ? shown.model->operators : 0);
  if (name == "model.time") return shown.kernels ? number(shown.kernels->total_ms) : std::nullopt;
  if (name == "kernels") return number(shown.kernels ? shown.kernels->rows.size() : 0);
  bool known =
      shown.kernels && shown.kernel >= 0 && size_t(shown.kernel) < shown.kernels->rows.size();
  if (name == "kernel")
    return words(known ? shown.kernels->rows[size_t(shown.kernel)].name : "none");
  if (name != "kernel.state" || !known) return {};
  static char const* const kStates[] = {"plain", "default", "hand", "tuned"};
  return words(kStates[size_t(shown.kernels->rows[size_t(shown.kernel)].state)]);
}

Value fact_of_step(std::string const& name, session::Snapshot const& shown) {
  if (!shown.history) return {};
  session::HistoryNodeView const& node = shown.history->nodes[size_t(shown.history->current)];
  if (name == "kernel.time") return number(node.min_ms);
  if (name == "kernel.speed") return number(node.gflops);
  static char const* const kVerdicts[] = {"unknown", "checking", "correct", "wrong"};
  if (name == "state") return words(kVerdicts[size_t(node.verdict)]);
  if (name == "step") return words(node.step.empty() ? "none" : node.step);
  if (name == "history.nodes") return number(shown.history->nodes.size());
  if (name == "history.current") return number(shown.history->current);
  if (name == "history.elsewhere") {
    std::string names;
    for (auto const& one : node.elsewhere)
      if (one.min_ms) names += (names.empty() ? "" : ", ") + one.device;
    return words(names.empty() ? "none" : names);
  }
  if (name == "history.note") return words(node.note.empty() ? "none" : node.note);
  return {};
}

Value fact_of_loop(std::string const& name, session::Snapshot const& shown, int loop) {
  if (name == "loops") return number(shown.nest ? shown.nest->bars.size() : 0);
  if (name == "refusal") return words(shown.refusal ? shown.refusal->code : "none");
  if (name == "refusal.repairs") return number(shown.refusal ? shown.refusal->repairs.size() : 0);
  if (!shown.nest || (name != "loop.extent" && name != "loop.mark")) return {};
  auto const& bars = shown.nest->bars;
  auto bar = std::find_if(bars.begin(), bars.end(), [&](auto& one) { return one.id == loop; });
  if (bar == bars.end()) return {};
  return name == "loop.extent" ? number(bar->extent)
                               : words(std::string(session::name_of(bar->mark)));
}

}  // namespace

Value MainWindow::fact(std::string const& name) const {
  for (Value const& value :
       {fact_of_model(name, snapshot_), fact_of_step(name, snapshot_),
        fact_of_loop(name, snapshot_, selection_->loop()), fact_of_devices(name)})
    if (value) return value;
  if (name == "loop") return words(name_of_loop(selection_->loop()));
  if (name == "hover") return words(name_of_loop(selection_->hovered()));
  if (name == "error")
    return words(trouble_          ? trouble_->sentence
                 : snapshot_.error ? QString::fromStdString(snapshot_.error->sentence)
                                   : QString("none"));
  if (name == "text.scale") return number(scale_);
  if (name == "status") return words(status_words_);
  if (name == "view" && devices_alone_) return words("devices");
  if (name == "view") return words(view_name(centre_->tabText(centre_->currentIndex())));
  if (name == "view.graph.nodes") return number(graph_->card_count());
  if (name == "view.graph.edges") return number(graph_->edge_count());
  if (name == "view.graph.scale") return number(graph_->scale());
  if (name == "view.graph.frame") return number(graph_->frame_ms());
  if (name == "find.matches") return number(graph_->match_count());
  if (name == "find.current") return number(graph_->current_match() + 1);
  if (name == "find.node")
    return words(graph_->match_name().isEmpty() ? QString("none") : graph_->match_name());
  session::CodeText const* code = code_->view().text();
  if (name == "view.code.lines") return number(code ? code->lines.size() : 0);
  if (name == "view.why") return words(why_->text());
  if (name == "history.marked") return number(history_->marked());
  if (name == "history.picked") return number(history_->picked());
  if (name == "history.folds") return number(history_->folds());
  if (name == "history.found") return number(history_->found());
  if (name == "compare") return words(compare_->names());
  if (name == "replay")
    return words(snapshot_.replay ? snapshot_.replay->summary : std::string("none"));
  if (name == "theme") return words(QString(theme_name_).replace('_', '-'));
  if (name == "window.width") return number(width());
  if (name == "window.height") return number(height());
  if (name == "project")
    return words(keeper_->file().isEmpty() ? QString("none")
                                           : QFileInfo(keeper_->file()).fileName());
  if (name == "project.embeds") return words(keeper_->embeds() ? "yes" : "no");
  if (name == "project.changed") return words(keeper_->changed() ? "yes" : "no");
  QDialog const* dialog = open_dialog();
  if (name == "dialog") return words(dialog ? dialog->objectName() : QString("none"));
  return {};
}

}  // namespace tw
