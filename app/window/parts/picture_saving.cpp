// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/picture_saving.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMimeData>
#include <QTabBar>
#include <QTabWidget>

#include "app/shared/journal/picture.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/look.h"
#include "app/window/parts/performer.h"
#include "app/window/pictures/pictures.h"
#include "app/window/view_names.h"
#include "engine/support/files.h"

namespace tw {

namespace {

/// What the dialog offers, each with its ending and its theme.
struct PictureKind {
  char const* filter;
  char const* ending;
  char const* theme;
};
constexpr PictureKind kKinds[] = {{"SVG (*.svg)", "svg", ""},
                                  {"PNG (*.png)", "png", ""},
                                  {"PDF (*.pdf)", "pdf", ""},
                                  {"SVG in the light theme, for print (*.svg)", "svg", "light"},
                                  {"PNG in the light theme, for print (*.png)", "png", "light"},
                                  {"PDF in the light theme, for print (*.pdf)", "pdf", "light"}};

/// Of which kernel a picture is, and where it was measured: a file is looked at far from the
/// window.
QString caption_of(session::Snapshot const& now) {
  QStringList parts;
  if (now.model) parts << QString::fromStdString(now.model->name);
  if (now.model && now.kernels && now.kernel >= 0)
    parts << QString::fromStdString(now.kernels->rows[size_t(now.kernel)].name);
  QStringList lines{parts.join(QStringLiteral(" › "))};
  if (now.machine) lines << QString::fromStdString(now.machine->name + " · " + now.machine->target);
  lines.removeAll(QString());
  return lines.join('\n');
}

}  // namespace

PictureSaving::PictureSaving(QWidget& window, Workbench& bench, Performer& performer,
                             PaneList& panes, Docks& docks, Look& look,
                             std::function<void()> settle)
    : window_(window),
      bench_(bench),
      performer_(performer),
      panes_(panes),
      docks_(docks),
      look_(look),
      settle_(std::move(settle)) {
  bench_.on<journal::SavePicture>([this](journal::SavePicture const& action) {
    return save(action.view, action.file, action.theme);
  });
  bench_.add_dialog("picture", [this](QString const& view) { return show_dialog(view); });
}

void PictureSaving::add_commands(QString const& section) {
  auto open = [this] { return bench_.snapshot().model || docks_.alone(); };
  bench_.add_command({.section = section,
                      .name = kSavePicture,
                      .run =
                          [this] {
                            bench_.ask(journal::ShowDialog{"picture", docks_.in_focus().row->name});
                          },
                      .possible = open,
                      .also = "this view as SVG PNG PDF export"});
  bench_.add_command({.section = section,
                      .name = kCopyPicture,
                      .run = [this] { copy(docks_.in_focus().row->name); },
                      .possible = open,
                      .also = "this view as SVG PNG",
                      .copies = true});
}

/// A pane, or the pane around a tab of this name. What it shows may come only once it is seen.
Result<PlacedPane*> PictureSaving::bring_into_sight(std::string const& view) {
  PlacedPane* placed = panes_.called(view);
  bool seen = placed && placed->widget->isVisible();
  if (!seen) TRY(docks_.show(view));
  if (!seen) settle_();
  for (QTabBar* tabs : docks_.tab_bars())
    if (!placed && view_name(tabs->tabText(tabs->currentIndex())) == QString::fromStdString(view))
      placed = panes_.around(tabs);
  if (placed) return placed;
  return bad_input("unknown_view", "there is no view '" + view + "' to draw");
}

Status PictureSaving::save(std::string const& view, std::string const& name,
                           std::string const& wished) {
  QString file = QString::fromStdString(name), before = look_.theme_name();
  bool known = std::ranges::any_of(kKinds, [&](PictureKind const& kind) {
    return file.endsWith(QString(".") + kind.ending, Qt::CaseInsensitive);
  });
  if (!known)
    return bad_input("unknown_picture",
                     "a picture is a .svg, a .png or a .pdf file, not '" + name + "'");
  QString theme = QString::fromStdString(wished).replace('-', '_');
  if (!theme.isEmpty() && !Theme::names().contains(theme))
    return bad_input("unknown_theme", "there is no theme '" + wished +
                                          "'; the themes are dark, light, high-contrast");
  TRY_ASSIGN(PlacedPane * placed, bring_into_sight(view));
  if (!theme.isEmpty() && theme != before) look_.set_theme(theme);
  QByteArray bytes =
      picture_of(*placed->widget, placed->row->title, file, caption_of(bench_.snapshot()));
  if (look_.theme_name() != before) look_.set_theme(before);
  TRY(write_output(name, std::string_view(bytes.constData(), size_t(bytes.size()))));
  bench_.note("Saved the picture of " + placed->row->title);
  return {};
}

Status PictureSaving::show_dialog(QString const& view) {
  PlacedPane* placed = view.isEmpty() ? &docks_.in_focus() : panes_.called(view.toStdString());
  if (!placed)
    return bad_input("unknown_view", "there is no view '" + view.toStdString() + "' to draw");
  auto* dialog = new QFileDialog(&window_, "Save the picture of " + placed->row->title,
                                 QString::fromStdString(placed->row->name));
  dialog->setObjectName("pictureDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters;
  for (PictureKind const& kind : kKinds) filters << kind.filter;
  dialog->setNameFilters(filters);
  dialog->setDefaultSuffix("svg");
  auto kind_of = [filters](QString const& filter) {
    return kKinds[std::max<qsizetype>(0, filters.indexOf(filter))];
  };
  QObject::connect(dialog, &QFileDialog::filterSelected, dialog,
                   [dialog, kind_of](QString const& filter) {
                     dialog->setDefaultSuffix(kind_of(filter).ending);
                   });
  QObject::connect(dialog, &QFileDialog::fileSelected, &window_,
                   [this, dialog, kind_of, name = placed->row->name](QString const& file) {
                     bench_.ask(journal::SavePicture{name, file.toStdString(),
                                                     kind_of(dialog->selectedNameFilter()).theme});
                   });
  bench_.open(dialog);
  return {};
}

/// For a text processor as lines, for everything else as pixels.
void PictureSaving::copy(std::string const& view) {
  PlacedPane const& placed = *panes_.called(view);
  Performer::Quiet quiet(performer_);  // what moves for it was not moved by the user
  auto* mime = new QMimeData;
  mime->setImageData(image_of(*placed.widget, caption_of(bench_.snapshot())));
  mime->setData("image/svg+xml",
                svg_of(*placed.widget, placed.row->title, caption_of(bench_.snapshot())));
  QApplication::clipboard()->setMimeData(mime);
  bench_.note("Copied the picture of " + placed.row->title);
}

}  // namespace tw
