/// Somebody who clicks, pulls, types and opens things at random in a window, and never waits for
/// what it is doing: what one seed does depends on the machine's speed, so the last actions are
/// written to a file as they are made.
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QDrag>
#include <QFileDialog>
#include <QTabBar>
#include <QTimer>
#include <QtTest>
#include <random>

#include "tests/gui/workplace.h"

namespace tw::testing {

class RandomUser {
public:
  RandomUser(Workplace& place, unsigned seed, QString const& log)
      : place_(place), random_(seed), log_(log) {
    if (!log_.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(log));
    QObject::connect(&hand_, &QTimer::timeout, &hand_, [this] { let_go(); });
    hand_.start(100);
  }

  /// One action, and a moment of the window's own work after it.
  void act() {
    ++count_;
    since_.start();
    leave_dialogs();
    struct Kind {
      int weight;
      void (RandomUser::*act)();
    };
    static constexpr Kind kKinds[] = {
        {20, &RandomUser::click}, {14, &RandomUser::pull},  {24, &RandomUser::press},
        {6, &RandomUser::hover},  {4, &RandomUser::wheel},  {6, &RandomUser::show_view},
        {4, &RandomUser::open},   {8, &RandomUser::choose}, {10, &RandomUser::apply},
        {4, &RandomUser::jump},   {3, &RandomUser::look},   {8, &RandomUser::run_command},
        {6, &RandomUser::rest}};
    int all = 0;
    for (Kind const& kind : kKinds) all += kind.weight;
    int at = below(all);
    for (Kind const& kind : kKinds)
      if ((at -= kind.weight) < 0) {
        (this->*kind.act)();
        break;
      }
    pass(below(4) == 0 ? below(60) : 0);
  }
  int steps() const { return steps_; }
  int opened() const { return opened_; }
  int pulled() const { return pulled_; }

private:
  /// A menu below a button and a drag have a loop of their own, in which the action waits.
  void let_go() {
    if (!since_.isValid() || since_.elapsed() < 150) return;
    if (QWidget* popup = QApplication::activePopupWidget()) {
      if (below(2)) QTest::keyClick(popup, Qt::Key_Down);
      if (below(2) && QApplication::activePopupWidget() == popup)
        QTest::keyClick(popup, Qt::Key_Return);
      if (QWidget* left = QApplication::activePopupWidget()) left->close();
    }
    QDrag::cancel();
  }
  int below(int n) { return n <= 1 ? 0 : int(random_() % unsigned(n)); }
  template <typename List>
  auto const& one_of(List const& list) {
    return list[size_t(below(int(std::size(list))))];
  }
  void note(QString const& words) {
    log_.write(QString("%1 %2\n").arg(count_).arg(words).toUtf8());
    log_.flush();
  }
  void pass(int ms) {
    QElapsedTimer timer;
    timer.start();
    do QApplication::processEvents();
    while (timer.elapsed() < ms);
  }
  MainWindow& window() { return *place_.window; }
  QWidget* front() {
    if (QWidget* popup = QApplication::activePopupWidget()) return popup;
    for (QDialog* dialog : window().findChildren<QDialog*>())
      if (dialog->isVisible()) return dialog;
    return &window();
  }
  /// Files of the machine are not for it, and no dialog holds it for long.
  void leave_dialogs() {
    QWidget* top = front();
    in_front_ = top == &window() ? 0 : in_front_ + 1;
    auto* dialog = qobject_cast<QDialog*>(top);
    bool files = qobject_cast<QFileDialog*>(top) || top->objectName() == "exportDialog";
    if (dialog && (files || in_front_ > 12)) {
      note("leaves " + top->objectName());
      dialog->reject();
    } else if (!dialog && in_front_ > 4) {
      top->close();
    }
    QApplication::processEvents();
  }
  /// The innermost widget below a point anywhere in front, which is what a mouse would meet.
  std::pair<QWidget*, QPoint> target() {
    QWidget* top = front();
    QPoint at(below(std::max(1, top->width())), below(std::max(1, top->height())));
    QWidget* child = top->childAt(at);
    if (!child) return {top, at};
    return {child, child->mapFrom(top, at)};
  }
  static QString name_of(QWidget* widget) {
    return QString("%1 %2").arg(widget->metaObject()->className(), widget->objectName());
  }
  Qt::KeyboardModifiers modifiers() {
    static Qt::KeyboardModifiers const kAny[] = {
        {}, {}, {}, {}, Qt::ShiftModifier, Qt::ControlModifier};
    return one_of(kAny);
  }
  void click() {
    auto [widget, at] = target();
    note(QString("clicks %1 at %2 %3").arg(name_of(widget)).arg(at.x()).arg(at.y()));
    int way = below(10);
    if (way == 0)
      QTest::mouseDClick(widget, Qt::LeftButton, {}, at);
    else
      QTest::mouseClick(widget, way == 1 ? Qt::RightButton : Qt::LeftButton, modifiers(), at);
  }
  /// From one point to another of the same widget; at times the ground goes away below it.
  void pull() {
    auto [widget, from] = target();
    QPointer<QWidget> held = widget;
    QPoint to(below(std::max(1, widget->width())), below(std::max(1, widget->height())));
    note(QString("pulls %1 from %2 %3 to %4 %5")
             .arg(name_of(widget))
             .arg(from.x())
             .arg(from.y())
             .arg(to.x())
             .arg(to.y()));
    ++pulled_;
    Qt::KeyboardModifiers keys = modifiers();
    QTest::mousePress(widget, Qt::LeftButton, keys, from);
    for (int i = 1; i <= 6 && held; ++i) {
      move(held, from + (to - from) * i / 6, keys);
      if (below(14) == 0) interrupt();
    }
    if (held) QTest::mouseRelease(held, Qt::LeftButton, keys, to);
  }
  void move(QWidget* widget, QPoint at, Qt::KeyboardModifiers keys) {
    QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(QPointF(at)), Qt::NoButton,
                      Qt::LeftButton, keys);
    QApplication::sendEvent(widget, &event);
    if (below(3) == 0) QApplication::processEvents();
  }
  void interrupt() {
    switch (below(4)) {
      case 0:
        return press();
      case 1:
        return jump();
      case 2:
        return choose();
      default:
        return open();
    }
  }
  void hover() {
    auto [widget, at] = target();
    QTest::mouseMove(widget, at);
  }
  void wheel() {
    auto [widget, at] = target();
    QWheelEvent event(at, widget->mapToGlobal(QPointF(at)), {}, {0, below(2) ? 120 : -120},
                      Qt::NoButton, modifiers(), Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
  }
  void press() {
    static constexpr Qt::Key kKeys[] = {
        Qt::Key_Up,     Qt::Key_Down,    Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Return,
        Qt::Key_Escape, Qt::Key_Tab,     Qt::Key_Space, Qt::Key_Delete, Qt::Key_Backspace,
        Qt::Key_Home,   Qt::Key_End,     Qt::Key_S,     Qt::Key_T,      Qt::Key_R,
        Qt::Key_F,      Qt::Key_V,       Qt::Key_P,     Qt::Key_U,      Qt::Key_B,
        Qt::Key_C,      Qt::Key_W,       Qt::Key_Z,     Qt::Key_X,      Qt::Key_1,
        Qt::Key_2,      Qt::Key_4,       Qt::Key_8,     Qt::Key_Plus,   Qt::Key_Minus,
        Qt::Key_PageUp, Qt::Key_PageDown};
    QWidget* top = front();
    QWidget* widget = top->focusWidget() ? top->focusWidget() : top;
    Qt::Key key = one_of(kKeys);
    note(QString("presses %1 in %2").arg(QKeySequence(key).toString(), name_of(widget)));
    QTest::keyClick(widget, key, below(5) == 0 ? modifiers() : Qt::KeyboardModifiers());
  }
  void show_view() {
    auto bars = window().findChildren<QTabBar*>();
    if (bars.isEmpty()) return;
    QTabBar* bar = bars[below(int(bars.size()))];
    int tab = below(bar->count());
    if (!bar->isVisible() || bar->count() == 0) return;
    note("shows " + bar->tabText(tab));
    bar->setCurrentIndex(tab);
  }
  void open() {
    static char const* const kSamples[] = {"dqn", "dcgan", "lstm", "resnet18", "mobilenet"};
    static char const* const kLessons[] = {"loops_and_locality", "vectors", "fusion"};
    ++opened_;
    int way = below(10);
    if (way == 0) {
      note("closes the model");
      window().execute(session::CloseModel{});
    } else if (way < 3) {
      std::string lesson = one_of(kLessons);
      note(QString("opens the lesson ") + lesson.c_str());
      place_.lines("lesson open " + lesson + "\n");
    } else if (way < 7) {
      note("opens a product");
      window().execute(session::OpenModel{product()});
    } else {
      std::string sample = one_of(kSamples);
      note(QString("opens ") + sample.c_str());
      window().execute(session::OpenSample{sample});
    }
  }
  /// One that the session has not seen: nothing of it is at hand when it comes.
  std::string product() {
    std::string file = place_.folder.filePath("product.te").toStdString();
    std::string rows = std::to_string(40 + opened_);
    std::ofstream(file) << "tilewright te 1\nkernel matmul(A: f32[" + rows +
                               ", 64], B: f32[64, 80]) -> C\n  C[i in " + rows +
                               ", j in 80] = sum[k in 64] A[i, k] * B[k, j]\n";
    return file;
  }
  void choose() {
    session::Snapshot now = place_.session->snapshot();
    if (!now.kernels || now.kernels->rows.empty()) return;
    int kernel = below(int(now.kernels->rows.size()));
    note(QString("chooses kernel %1").arg(kernel));
    window().execute(session::SelectKernel{kernel});
  }
  /// A step on loops that are there, most of them legal.
  void apply() {
    session::Snapshot now = place_.session->snapshot();
    if (!now.nest || now.nest->bars.empty()) return;
    auto bar = [&] { return one_of(now.nest->bars).reference; };
    static int const kFactors[] = {2, 3, 4, 7, 8, 16, 14, 1000};
    std::string line;
    switch (below(7)) {
      case 0:
        line = "split(" + bar() + ", factor=" + std::to_string(one_of(kFactors)) + ")";
        break;
      case 1:
        line = "vectorize(" + bar() + ")";
        break;
      case 2:
        line = "parallel(" + bar() + ")";
        break;
      case 3:
        line = "unroll(" + bar() + ")";
        break;
      case 4:
        line = "reorder(" + bar() + ", " + bar() + ")";
        break;
      case 5:
        line = "fuse(" + bar() + ", " + bar() + ")";
        break;
      default:
        line = "compute_at(" + bar() + ", " + bar() + ")";
        break;
    }
    note("applies " + QString::fromStdString(line));
    ++steps_;
    window().apply_line(QString::fromStdString(line));
  }
  void jump() {
    session::Snapshot now = place_.session->snapshot();
    if (!now.history) return;
    int node = below(int(now.history->nodes.size()));
    note(QString("jumps to %1").arg(node));
    window().execute(session::JumpTo{node});
  }
  void look() {
    static QSize const kSizes[] = {{960, 620}, {1280, 800}, {1600, 1000}, {2560, 1440}};
    QSize size = one_of(kSizes);
    note(QString("makes the window %1 wide").arg(size.width()));
    window().resize(size);
    if (below(2)) window().set_theme(one_of(Theme::names()));
    window().grab();
  }
  /// Until all is there that is made beside the window: what goes away later must have come first.
  void rest() {
    note("rests");
    tw::settle(window(), *place_.session, 1.5);
    window().grab();
  }
  /// By its name, as the palette does.
  void run_command() {
    QStringList names = window().action_names();
    if (names.isEmpty()) return;
    QString name = names[below(int(names.size()))];
    for (char const* not_this : {"Quit", "cache", "Export", "Report", "report"})
      if (name.contains(not_this)) return;
    note("runs " + name);
    window().run_action(name);
  }

  Workplace& place_;
  std::mt19937 random_;
  QFile log_;
  QTimer hand_;
  QElapsedTimer since_;  ///< the action's beginning
  int count_ = 0, in_front_ = 0, steps_ = 0, opened_ = 0, pulled_ = 0;
};

}  // namespace tw::testing
