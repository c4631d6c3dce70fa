// Work that another model replaces is kept, whatever made it, and *Recent* opens it again.
#include <QtTest>

#include <QDir>
#include <fstream>

#include "app/shared/journal/resume.h"
#include "tests/gui/workplace.h"
#include "widgets/start/start_page.h"

using namespace tw;

namespace {

constexpr char kSmall[] =
    "tilewright te 1\n"
    "kernel small(P: f32[40, 30], Q: f32[30, 20]) -> R\n"
    "  R[a in 40, b in 20] = sum[c in 30] P[a, c] * Q[c, b]\n";

}  // namespace

class KeptWorkTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    file_ = place_->folder.filePath("matmul.te").toStdString();
    other_ = place_->folder.filePath("small.te").toStdString();
    std::ofstream(file_) << testing::kMatmul;
    std::ofstream(other_) << kSmall;
  }
  void cleanup() { place_.reset(); }

  void what_changes_the_work_marks_it_and_what_looks_does_not() {
    open(file_);
    QCOMPARE(lines("expect project.changed no\nshow graph\nselect C.k\nmeasure\n"
                   "expect project.changed no\n"),
             std::string());
    for (char const* line : {"step parallel(C.i)", "note 0 here", "star 0", "name 0 start"}) {
      open(other_);
      open(file_);
      QCOMPARE(lines(std::string("expect project.changed no\n") + line +
                     "\nexpect project.changed yes\n"),
               std::string());
    }
  }

  void a_script_that_is_applied_is_work() {
    open(file_);
    QCOMPARE(lines("expect project.changed no\nshow script\nwrite 1 parallel(C.i)\n"
                   "apply written\nexpect project.changed yes\n"),
             std::string());
    open(other_);
    QCOMPARE(kept().size(), 1);
  }

  void another_layout_is_work() {
    QCOMPARE(lines("sample dqn\nexpect project.changed no\ngraph option channel_block=8\n"
                   "expect model.graph_options channel_block=8\nexpect project.changed yes\n"),
             std::string());
    open(other_);
    QCOMPARE(kept().size(), 1);
  }

  void a_session_may_be_changed_by_anybody() {
    open(file_);
    QVERIFY(place_->session->execute(session::ApplyStep{"parallel(C.i)"}));
    open(other_);
    QCOMPARE(kept().size(), 1);
  }

  void nothing_is_kept_where_nothing_was_done() {
    open(file_);
    open(other_);
    open(file_);
    QCOMPARE(kept().size(), 0);
  }

  void recent_opens_the_steps_that_it_promises() {
    open(file_);
    QCOMPARE(lines("step j.0, j.1 = split(C.j, factor=16)\nstep parallel(C.i)\n"), std::string());
    open(other_);
    emit place_->window->start_page().recent_asked(QString::fromStdString(file_));
    place_->settle();
    QCOMPARE(lines("expect history.nodes >= 4\nexpect step parallel(C.i)\n"
                   "expect project.changed yes\n"),
             std::string());
    std::string recorded = place_->recorded();
    QVERIFY2(recorded.find("resume ") != std::string::npos, recorded.c_str());
    // One of which nothing is kept is opened as it is.
    QVERIFY(place_->window->perform(journal::ResumeWork{other_}));
    place_->settle();
    QCOMPARE(lines("expect kernel small\nexpect project.changed no\n"), std::string());
    QCOMPARE(kept().size(), 2);
  }

private:
  void open(std::string const& file) {
    place_->window->execute(session::OpenModel{file});
    place_->settle();
  }
  std::string lines(std::string const& text) { return place_->lines(text); }
  QStringList kept() {
    place_->settle();
    return QDir(place_->folder.filePath("state/earlier")).entryList({"*.twproj"}, QDir::Files);
  }

  std::unique_ptr<Workplace> place_;
  std::string file_, other_;
};

QTEST_MAIN(KeptWorkTest)
#include "kept_work_test.moc"
