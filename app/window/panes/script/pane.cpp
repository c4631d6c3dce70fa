// SPDX-License-Identifier: GPL-3.0-or-later
// The script of the current branch, to be written: mistakes are underlined, words completed, and
// what is applied is the same state as the picture's.
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "app/window/pane.h"
#include "app/window/panes/script/journal.h"
#include "engine/session/line_effects.h"
#include "engine/session/script.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"
#include "widgets/script/script_editor.h"

namespace tw {
namespace {

constexpr int kPause = 120;  // ms after a key, before the text is looked at

class ScriptPane final : public Pane {
public:
  explicit ScriptPane(Workbench& bench)
      : Pane(bench),
        page_(new QWidget),
        editor_(new ScriptEditor),
        said_(controls::label("scriptSaid", "secondary")),
        line_(controls::label("scriptLine", "secondary")),
        apply_(
            controls::button("Apply", "scriptApply", "Make this the current branch (Ctrl+Return)")),
        forget_(controls::button("Discard", "scriptForget",
                                 "Show the script of the current branch again")),
        write_out_(controls::button("Write out", "scriptWriteOut",
                                    "Write the steps of the macro at the cursor in its place")) {
    editor_->set_primitives(live().primitives());
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 12, 4);
    head->setSpacing(8);
    head->addWidget(said_, 1);
    head->addWidget(write_out_);
    head->addWidget(forget_);
    head->addWidget(apply_);
    said_->setMinimumWidth(40);
    said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(editor_, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 4, 12, 4);
    foot->addWidget(line_, 1);
    column->addLayout(foot);
    line_->setMinimumWidth(40);
    line_->setWordWrap(true);
    line_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    line_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line_->setAccessibleName("What the line at the cursor does");
    editor_->set_explainer([this](int line) { return effect_of(line); });
    connect(editor_, &ScriptEditor::line_reached, this, [this](int line) {
      if (line == editor_->cursor_line())
        say_line();
      else
        (void)effect_of(line);
    });
    pause_.setSingleShot(true);
    pause_.setInterval(kPause);
    connect(&pause_, &QTimer::timeout, this, [this] { look(); });
    connect(editor_, &ScriptEditor::edited, this, [this] {
      written_ = true;
      line_to_write_out_ = 0;  // lines have moved
      pause_.start();
      say();
    });
    connect(editor_, &ScriptEditor::apply_asked, this, [this] { record_and_apply(); });
    connect(apply_, &QPushButton::clicked, this, [this] { record_and_apply(); });
    connect(forget_, &QPushButton::clicked, this, [this] { bench_.ask(journal::ForgetWritten{}); });
    connect(write_out_, &QPushButton::clicked, this,
            [this] { (void)write_out(editor_->cursor_line()); });
    write_out_->hide();
    perform_actions();
    bench.add_command({.section = "Views", .name = "Script", .keys = "Ctrl+Shift+L", .run = [this] {
                         bench_.ask(journal::ShowView{"script"});
                         editor_->setFocus();
                       }});
    say();
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return editor_; }
  bool keeps_focus() const override { return editor_->hasFocus(); }
  bool busy() const override {
    return pause_.isActive() || waits_ || waits_for_line_ || line_to_write_out_ > 0;
  }
  void set_theme(Theme const& theme) override { editor_->set_theme(theme); }

  void settled() override { show_line(shown_line_); }
  bool hears_hidden() const override { return false; }
  void show(session::Snapshot const& next) override {
    // What was written for one kernel says nothing to another one.
    if (next.kernel != kernel_ || next.model != model_ || !next.nest) written_ = false;
    kernel_ = next.kernel;
    model_ = next.model;
    editor_->setReadOnly(!next.nest);
    if (!written_) editor_->set_script(next.nest ? steps() : QString());
    look();
    editor_->explain_again();
  }

  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "script.lines") {
      int lines = 0;
      for (QString const& line : editor_->text().split('\n'))
        lines += !line.section('#', 0, 0).trimmed().isEmpty();
      return double(lines);
    }
    if (name == "script.problems") return double(review_ ? review_->problems.size() : 0);
    if (name == "script.line") return line_words_.isEmpty() ? "nothing" : line_words_.toStdString();
    if (name == "script.written") return written_ ? "yes" : "no";
    return {};
  }
  std::vector<Key> keys() const override {
    return {{"Script", "Ctrl+Return", "Make the written script the current branch"},
            {"Script", "Ctrl+Space", "Complete the word before the cursor"}};
  }

private:
  /// Of the current branch, without the lines that begin a file.
  QString steps() const {
    QStringList lines = QString::fromStdString(live().script()).split('\n');
    lines.removeIf([](QString const& line) {
      return line.startsWith("tilewright ") || line.startsWith("for ");
    });
    return lines.join('\n');
  }

  void perform_actions() {
    bench_.on<journal::WriteLine>([this](auto const& action) -> Status { return write(action); });
    bench_.on<journal::WriteOut>(
        [this](auto const& action) -> Status { return write_out(action.line); });
    bench_.on<journal::ApplyWritten>([this](auto const&) -> Status { return apply(); });
    bench_.on<journal::ForgetWritten>([this](auto const&) {
      written_ = false;
      editor_->set_script(steps());
      return look(), Status();
    });
  }

  Status write(journal::WriteLine const& action) {
    QStringList lines = editor_->text().split('\n');
    if (!lines.isEmpty() && lines.back().isEmpty()) lines.removeLast();
    if (action.line < 1 || action.line > lines.size() + 1)
      return bad_input("unknown_line", "the script has " + std::to_string(lines.size()) +
                                           " lines; another one can be written behind them");
    QString text = QString::fromStdString(action.text);
    if (action.line == lines.size() + 1)
      lines << text;
    else
      lines[action.line - 1] = text;
    editor_->set_script(lines.join('\n') + "\n");
    written_ = true;
    return look(), Status();
  }

  /// The lines that it makes are recorded when they are applied, as any that were written.
  Status write_out(int line) {
    if (!now().nest) return bad_input("no_kernel", "no kernel is selected");
    auto effect = session::line_effect(live(), editor_->text().toStdString(), line);
    line_to_write_out_ = effect ? 0 : line;  // its steps are on their way
    if (!effect) return {};
    if (effect->written_out.empty())
      return bad_input("no_macro", "line " + std::to_string(line) + " of the script is no macro");
    QStringList lines = editor_->text().split('\n'), steps;
    for (std::string const& step : effect->written_out) steps << QString::fromStdString(step);
    lines[line - 1] = steps.join('\n');
    editor_->set_script(lines.join('\n'));
    written_ = true;
    return look(), Status();
  }

  /// A journal has the lines that were written, and then that they were applied.
  void record_and_apply() {
    QStringList now = steps().split('\n');
    QStringList lines = editor_->text().split('\n');
    if (!lines.isEmpty() && lines.back().isEmpty()) lines.removeLast();
    for (int i = 0; i < std::max(lines.size(), now.size() - 1); ++i) {
      QString line = i < lines.size() ? lines[i] : QString();
      if (i >= now.size() || now[i] != line)
        bench_.user_did(journal::WriteLine{i + 1, line.toStdString()});
    }
    bench_.ask(journal::ApplyWritten{});
  }

  Status apply() {
    std::string text = editor_->text().toStdString();
    for (session::Command const& command : session::commands_for(live(), text)) {
      TRY(live().execute(command));
    }
    bool whole = !live().snapshot().refusal;
    written_ = !whole;
    if (whole) editor_->set_script(steps());
    return look(), Status();
  }

  void look() {
    waits_ = false;
    if (!now().nest) return say();
    auto review = session::review_script(live(), editor_->text().toStdString());
    waits_ = !review;
    if (review && review != review_) {
      review_ = review;
      if (written_ && review->is_current) written_ = false;
      editor_->show_review(review_);
    }
    say();
  }

  /// What a line does, in words; empty: no step stands there.
  QString effect_of(int line) {
    if (!now().nest) return {};
    auto effect = session::line_effect(live(), editor_->text().toStdString(), line);
    if (!effect) return "Computing what this line does…";
    return QString::fromStdString(session::words_of(*effect, now().history.get()));
  }

  /// In two lines; what does not fit is left out in the middle, since it ends with the time.
  void show_line(QString const& words) {
    QFontMetrics metrics = line_->fontMetrics();
    line_->setFixedHeight(2 * metrics.lineSpacing() + 2);
    int room = std::max(40, line_->width() - 4);
    // A line breaks before a word: up to that long is lost at the end of the first one.
    int lost = metrics.horizontalAdvance("conv2d.oc.0.i");
    bool fits = metrics.boundingRect(QRect(0, 0, room, 1000), Qt::TextWordWrap, words).height() <=
                2 * metrics.lineSpacing();
    line_->setText(
        fits ? words : metrics.elidedText(words, Qt::ElideMiddle, std::max(40, 2 * room - lost)));
  }

  /// Of the line that the cursor is in, below the script.
  void say_line() {
    if (line_to_write_out_ > 0) (void)write_out(line_to_write_out_);
    auto effect = now().nest ? session::line_effect(live(), editor_->text().toStdString(),
                                                    editor_->cursor_line())
                             : nullptr;
    waits_for_line_ = now().nest && !effect;
    if (waits_for_line_) return;  // the last one stays until then
    write_out_->setVisible(effect && !effect->written_out.empty());
    line_words_ =
        effect ? QString::fromStdString(session::words_of(*effect, now().history.get())) : "";
    QString shown = line_words_.isEmpty()
                        ? QString()
                        : QString("Line %1: %2").arg(editor_->cursor_line()).arg(line_words_);
    show_line(shown);
    shown_line_ = shown;
    line_->setToolTip(paint::wrapped(shown));
    editor_->setAccessibleDescription(shown);
  }

  void say() {
    QString words;
    if (!now().nest)
      words = "Select a kernel to write its steps.";
    else if (!written_)
      words = editor_->text().isEmpty() ? "No step yet: write one, Ctrl+Space completes."
                                        : "The steps of the current branch.";
    else if (review_ && !review_->problems.empty())
      words = QString("Line %1: %2")
                  .arg(review_->problems.front().line)
                  .arg(QString::fromStdString(review_->problems.front().message));
    else
      words = "Written, not applied yet: Ctrl+Return.";
    said_->setText(
        said_->fontMetrics().elidedText(words, Qt::ElideRight, std::max(40, said_->width() - 4)));
    said_->setToolTip(words);
    apply_->setEnabled(written_ && now().nest);
    forget_->setEnabled(written_ && now().nest);
    say_line();
  }

  QWidget* page_;
  ScriptEditor* editor_;
  QLabel *said_, *line_;
  QString line_words_;  ///< whole
  QString shown_line_;  ///< the same with the line's number
  QPushButton *apply_, *forget_, *write_out_;
  int line_to_write_out_ = 0;  ///< from 1, as soon as its steps are known
  QTimer pause_;
  std::shared_ptr<session::ScriptReview const> review_;
  bool written_ = false;  ///< it is not the current branch's
  bool waits_ = false, waits_for_line_ = false;
  int kernel_ = -1;
  std::shared_ptr<session::ModelView const> model_;
};

}  // namespace

PaneRow const& pane_script() {
  static PaneRow const row{.name = "script",
                           .title = "Script",
                           .place = PanePlace::kBelowRight,
                           .order = 15,
                           .make = &make_pane<ScriptPane>};
  return row;
}

}  // namespace tw
