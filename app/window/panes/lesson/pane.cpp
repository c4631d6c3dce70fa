// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson: its text beside the live views, and its goals.
#include <QFileDialog>
#include <QSettings>
#include <QTabWidget>
#include <algorithm>
#include <utility>

#include "app/window/panes/lesson/guide.h"
#include "app/window/panes/lesson/journal.h"
#include "app/window/top_bar.h"
#include "widgets/lesson/lesson_dialog.h"
#include "widgets/start/start_page.h"

namespace tw {
namespace {

class LessonPane final : public Pane {
public:
  explicit LessonPane(Workbench& bench)
      : Pane(bench), view_(new LessonView), guide_(new Guide(bench)) {
    guide_->setParent(this);
    perform_actions();
    watch();
    add_commands();
    stand_on_the_start_page();
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_->first(); }
  void set_theme(Theme const& theme) override {
    view_->set_theme(theme);
    take_room();
  }
  void show(session::Snapshot const&) override { guide_->look(); }
  bool busy() const override { return guide_->busy(); }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    return guide_->fact(name);
  }
  std::vector<PaletteEntry> palette_entries() override {
    std::vector<PaletteEntry> entries;
    for (lesson::Card const& card : lesson::cards())
      entries.push_back({"Lesson: " + QString::fromStdString(card.title),
                         {},
                         QString::fromStdString(card.name),
                         [this, name = card.name] { bench_.ask(journal::OpenLesson{name}); },
                         true});
    return entries;
  }

private:
  void perform_actions();
  void watch();
  void add_commands();
  void stand_on_the_start_page();
  void show_next_on_the_start_page();
  void note_finished();
  void open_following();
  void show_usual_views();
  Status open(std::string const& name);
  void close();
  /// Prose wants longer lines than lists do, where the window has room for them.
  void take_room();
  Status show_dialog();
  void ask_file();
  void follow(QString const& target);
  void step_by(int steps);

  LessonView* view_;
  Guide* guide_;
  std::string noted_;  ///< the last that was finished
};

constexpr char kFinishedKey[] = "lessons/finished";

/// What a lesson speaks of is in sight, whatever one looked at before: the first view of each
/// place.
std::map<PanePlace, PaneRow const*> usual_views() {
  std::map<PanePlace, PaneRow const*> first;
  for (PaneRow const* row : pane_table()) {
    PaneRow const*& known = first[row->place];
    if (!row->when_asked && (!known || row->order < known->order)) known = row;
  }
  return first;
}

StartLesson on_a_card(lesson::Card const& card) {
  StartLesson shown{.name = QString::fromStdString(card.name),
                    .title = QString::fromStdString(card.title),
                    .sentence = QString::fromStdString(card.about),
                    .minutes = card.minutes};
  for (std::string const& goal : card.goals) shown.goals << QString::fromStdString(goal);
  if (!card.kernel.empty()) shown.source = QString::fromStdString("te:" + card.kernel);
  return shown;
}

void LessonPane::perform_actions() {
  bench_.on<journal::OpenLesson>([this](auto const& action) { return open(action.name); });
  bench_.on<journal::CloseLesson>([this](auto const&) { return close(), Status(); });
  bench_.on<journal::GoToLessonStep>(
      [this](auto const& action) { return guide_->go_to(action.step); });
  bench_.on<journal::ShowHint>([this](auto const&) { return guide_->show_hint(); });
  bench_.on<journal::ShowMe>([this](auto const&) { return guide_->show_me(); });
  bench_.on<journal::AnswerQuestion>(
      [this](auto const& action) { return guide_->answer(action.words); });
  bench_.add_dialog("lesson", [this](QString const&) { return show_dialog(); });
}

void LessonPane::watch() {
  connect(guide_, &Guide::changed, this, [this] {
    if (!guide_->is_open()) return;
    view_->show_page(guide_->page());
    if (guide_->all_reached()) note_finished();
  });
  connect(&bench_.selection(), &Selection::changed, this, [this] { guide_->look(); });
  connect(view_, &LessonView::previous_asked, this, [this] { step_by(-1); });
  connect(view_, &LessonView::next_asked, this, [this] { step_by(1); });
  connect(view_, &LessonView::following_asked, this, [this] { open_following(); });
  connect(view_, &LessonView::hint_asked, this, [this] { bench_.ask(journal::ShowHint{}); });
  connect(view_, &LessonView::show_me_asked, this, [this] { bench_.ask(journal::ShowMe{}); });
  connect(view_, &LessonView::close_asked, this, [this] { bench_.ask(journal::CloseLesson{}); });
  connect(view_, &LessonView::answered, this, [this](QString const& words) {
    bench_.ask(journal::AnswerQuestion{words.toStdString()});
  });
  connect(view_, &LessonView::link_asked, this, [this](QString const& target) { follow(target); });
}

void LessonPane::stand_on_the_start_page() {
  StartPage& page = bench_.start_page();
  show_next_on_the_start_page();
  connect(&page, &StartPage::lesson_asked, this,
          [this](QString const& name) { bench_.ask(journal::OpenLesson{name.toStdString()}); });
  connect(&page, &StartPage::lessons_asked, this, [this] {
    bench_.ask(journal::ShowDialog{"lesson", {}});
  });
}

/// The first that was not finished yet; who has finished all may begin anew.
void LessonPane::show_next_on_the_start_page() {
  QStringList finished =
      QSettings(bench_.settings_file(), QSettings::IniFormat).value(kFinishedKey).toStringList();
  std::vector<lesson::Card> cards = lesson::cards();
  if (cards.empty()) return;
  auto next = std::ranges::find_if(cards, [&](lesson::Card const& card) {
    return !finished.contains(QString::fromStdString(card.name));
  });
  if (next == cards.end()) next = cards.begin();
  StartLesson shown = on_a_card(*next);
  shown.number = int(next - cards.begin()) + 1;
  shown.of = int(cards.size());
  bench_.start_page().show_lesson(shown);
}

/// Of the program's; a file is on no list.
void LessonPane::note_finished() {
  std::string name = guide_->name();
  if (std::exchange(noted_, name) == name) return;
  if (std::ranges::count(lesson::cards(), name, &lesson::Card::name) == 0) return;
  QSettings settings(bench_.settings_file(), QSettings::IniFormat);
  QStringList finished = settings.value(kFinishedKey).toStringList();
  if (finished.contains(QString::fromStdString(name))) return;
  settings.setValue(kFinishedKey, finished << QString::fromStdString(name));
  settings.sync();
  show_next_on_the_start_page();
}

void LessonPane::open_following() {
  if (!guide_->following()) return;
  note_finished();
  bench_.ask(journal::OpenLesson{std::string(guide_->following()->name)});
}

void LessonPane::add_commands() {
  QString const section = "Lessons";
  bench_.add_command({.section = section, .name = "Open a lesson", .keys = "Ctrl+L", .run = [this] {
                        bench_.ask(journal::ShowDialog{"lesson", {}});
                      }});
  auto add = [&](char const* name, char const* keys, std::function<void()> run) {
    bench_.add_command(
        {.section = section, .name = name, .keys = keys, .run = std::move(run), .possible = [this] {
           return guide_->is_open();
         }});
  };
  add("Next step of the lesson", "Alt+Right", [this] { step_by(1); });
  add("Previous step of the lesson", "Alt+Left", [this] { step_by(-1); });
  add("Answer the lesson", "Alt+A", [this] {
    bench_.ask(journal::ShowView{"lesson"});
    view_->go_to_answer();
  });
  add("Hint of the lesson", "", [this] { bench_.ask(journal::ShowHint{}); });
  add("Show me the next move of the lesson", "", [this] { bench_.ask(journal::ShowMe{}); });
  add("Close the lesson", "", [this] { bench_.ask(journal::CloseLesson{}); });
}

/// What stands beside the centre is a tab of it in a narrow window: the centre's comes last.
void LessonPane::show_usual_views() {
  std::map<PanePlace, PaneRow const*> first = usual_views();
  for (auto const& [place, row] : first)
    if (place != PanePlace::kLeft && place != PanePlace::kCentre) (void)bench_.show_view(row->name);
  (void)bench_.show_view(first[PanePlace::kCentre]->name);
}

Status LessonPane::open(std::string const& name) {
  TRY(guide_->open(name));
  show_usual_views();
  bench_.show_tab(*this);
  take_room();
  return {};
}

void LessonPane::take_room() {
  constexpr double kProse = 332;
  int window = bench_.top_bar().window()->width();
  // Of a tab's page nobody asks how wide it must be, but of all tabs together.
  QWidget* tabs = view_->parentWidget();
  while (tabs && !qobject_cast<QTabWidget*>(tabs)) tabs = tabs->parentWidget();
  if (tabs)
    tabs->setMinimumWidth(guide_->is_open() ? std::min(bench_.theme().px(kProse), window / 4) : 0);
}

/// Not the neighbour comes to the front, whichever that is, but what stood there at the start.
void LessonPane::close() {
  bool in_front = view_->isVisible();
  guide_->close();
  take_room();  // as long as it has a tab
  bench_.hide_tab(*this);
  if (in_front && bench_.snapshot().model)
    (void)bench_.show_view(usual_views()[PanePlace::kLeft]->name);
}

/// Beyond the last step the lesson is over.
void LessonPane::step_by(int steps) {
  if (!guide_->is_open()) return;
  LessonPage page = guide_->page();
  int step = page.step + steps;
  if (step < 1) return;
  if (step > page.steps) {
    note_finished();
    return bench_.ask(journal::CloseLesson{});
  }
  bench_.ask(journal::GoToLessonStep{step});
}

void LessonPane::follow(QString const& target) {
  std::string name = target.section(':', 1).toStdString();
  if (target.startsWith("view:")) return bench_.ask(journal::ShowView{name});
  if (target.startsWith("kernel:")) return bench_.ask(journal::ChooseKernel{name});
  if (target.startsWith("loop:")) return bench_.ask(journal::SelectLoop{name});
  bench_.say("The target of the link is not in the window");
}

Status LessonPane::show_dialog() {
  std::vector<LessonRow> rows;
  for (lesson::Card const& card : lesson::cards())
    rows.push_back({QString::fromStdString(card.name), QString::fromStdString(card.title),
                    QString::fromStdString(card.about), card.minutes});
  auto* dialog = new LessonDialog(std::move(rows), bench_.top_bar().window());
  connect(dialog, &LessonDialog::lesson_chosen, this,
          [this](QString const& name) { bench_.ask(journal::OpenLesson{name.toStdString()}); });
  connect(dialog, &LessonDialog::file_asked, this, [this, dialog] {
    dialog->close();
    ask_file();
  });
  bench_.open(dialog);
  return {};
}

void LessonPane::ask_file() {
  auto* dialog = new QFileDialog(bench_.top_bar().window(), "Open a lesson", {},
                                 "Lessons (*.lesson);;All files (*)");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName("lessonFileDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](QString const& file) { bench_.ask(journal::OpenLesson{file.toStdString()}); });
  bench_.open(dialog);
}

}  // namespace

PaneRow const& pane_lesson() {
  static PaneRow const row{.name = "lesson",
                           .title = "Lesson",
                           .place = PanePlace::kLeft,
                           .order = 30,
                           .when_asked = true,
                           .make = &make_pane<LessonPane>};
  return row;
}

}  // namespace tw
