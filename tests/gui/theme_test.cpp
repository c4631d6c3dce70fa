// What can be read and what can be seen of a control's edge, in every theme, hovered and not.
#include <QtTest>

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStyleFactory>
#include <QVBoxLayout>
#include <cmath>

#include "tests/gui/seen.h"
#include "widgets/paint/chooser.h"
#include "widgets/theme/theme.h"

using namespace tw;

namespace {

constexpr double kText = 4.5, kBorder = 3.0;  // WCAG 1.4.3 and 1.4.11

double channel(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(QColor const& c) {
  return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

double contrast(QColor const& a, QColor const& b) {
  double first = luminance(a) + 0.05, second = luminance(b) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

using Named = std::pair<char const*, QColor>;

std::vector<Named> grounds(Theme const& t) {
  return {{"window", t.window},   {"panel", t.panel}, {"raised", t.raised},
          {"control", t.control}, {"hover", t.hover}, {"inset", t.inset}};
}

/// The value of a property in a rule; invalid: it has none that is a colour.
QColor colour_in(QString const& rule, char const* property) {
  QRegularExpression wanted(QString("(?:^|[ ;])%1:[^;]*?(#[0-9a-fA-F]{6})").arg(property));
  auto found = wanted.match(rule);
  return found.hasMatch() ? QColor(found.captured(1)) : QColor();
}

/// How many pixels of `part` can be told from `ground`.
int seen_on(QColor const& ground, QImage const& image, QRect const& part) {
  int seen = 0;
  for (int y = part.top(); y <= part.bottom(); ++y)
    for (int x = part.left(); x <= part.right(); ++x)
      seen += contrast(image.pixelColor(x, y), ground) >= kBorder;
  return seen;
}

/// What a menu of one entry paints.
QImage menu_of(QString const& words, bool enabled) {
  QMenu menu;
  menu.addAction(words)->setEnabled(enabled);
  menu.resize(menu.sizeHint());
  return menu.grab().toImage();
}

}  // namespace

class ThemeTest : public QObject {
  Q_OBJECT
private slots:
  void every_text_is_read_on_every_ground() {
    QStringList wrong;
    for (QString const& name : Theme::names()) {
      Theme t = Theme::load(name);
      for (auto const& [text, colour] : std::vector<Named>{{"text1", t.text1},
                                                           {"text2", t.text2},
                                                           {"text3", t.text3},
                                                           {"ink", t.ink},
                                                           {"ok", t.ok},
                                                           {"warn", t.warn},
                                                           {"error", t.error},
                                                           {"moved", t.moved}})
        for (auto const& [ground, behind] : grounds(t))
          note(wrong, name + ": " + text + " on " + ground, contrast(colour, behind), kText);
      note(wrong, name + ": on_ink", contrast(t.on_ink, t.ink), kText);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
  }

  void every_border_of_a_control_is_seen() {
    QStringList wrong;
    for (QString const& name : Theme::names()) {
      Theme t = Theme::load(name);
      for (auto const& [border, colour] :
           std::vector<Named>{{"line3", t.line3}, {"text3", t.text3}, {"ink", t.ink}})
        for (auto const& [ground, behind] : grounds(t))
          note(wrong, name + ": " + border + " on " + ground, contrast(colour, behind), kBorder);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
  }

  /// What the tokens promise is what the style sheet uses; what is switched off may be faint.
  void the_style_sheet_keeps_to_it() {
    static QStringList const kControls{"QPushButton", "QToolButton",      "QComboBox",
                                       "QLineEdit",   "QAbstractSpinBox", "QPlainTextEdit",
                                       "QTableView"};
    QStringList wrong;
    int texts = 0, borders = 0;
    for (QString const& name : Theme::names()) {
      Theme t = Theme::load(name);
      static QRegularExpression const kRule("([^{}]+)\\{([^}]*)\\}");
      QString sheet = t.style_sheet();
      for (auto rules = kRule.globalMatch(sheet); rules.hasNext();) {
        auto found = rules.next();
        QString selector = found.captured(1).trimmed(), rule = found.captured(2);
        if (selector.contains(":disabled")) continue;
        QColor text = colour_in(rule, "color"), ground = colour_in(rule, "background");
        if (text.isValid() && ground.isValid())
          ++texts, note(wrong, name + ": " + selector, contrast(text, ground), kText);
        bool control = kControls.contains(selector.section(QRegularExpression("[ ,:\\[]"), 0, 0));
        QColor border = colour_in(rule, "border");
        if (!border.isValid()) border = colour_in(rule, "border-color");
        if (!control || !border.isValid() || selector.contains("QAbstractItemView")) continue;
        ++borders;
        for (QColor const& outside : {t.panel, t.raised})
          note(wrong, name + ": border of " + selector, contrast(border, outside), kBorder);
      }
    }
    QVERIFY2(texts >= 30 && borders >= 18, "rules were not found");
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
  }

  /// In every theme and in a larger text, too.
  void controls_look_like_this_program_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<double>("scale");
    for (QString const& name : Theme::names())
      for (double scale : {1.0, 1.5})
        QTest::addRow("%s %g", qPrintable(name), scale) << name << scale;
  }
  void controls_look_like_this_program() {
    QFETCH(QString, theme);
    QFETCH(double, scale);
    Theme look = Theme::load(theme);
    look.scale = scale;
    qApp->setStyleSheet(look.style_sheet());
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    auto *button = new QPushButton("   "), *primary = new QPushButton("Start");
    primary->setProperty("primary", true);
    auto* box = new QCheckBox("   ");
    box->setChecked(true);
    auto* number = new QDoubleSpinBox;
    for (QWidget* one : std::initializer_list<QWidget*>{button, primary, box, number})
      column->addWidget(one, 0, Qt::AlignLeft);
    page.show();
    page.setAttribute(Qt::WA_KeyboardFocusChange);  // as after a press of Tab
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    // No box of another colour in a button that has the focus; a ring around it.
    button->setFocus(Qt::TabFocusReason);
    QImage image = button->grab().toImage();
    QColor ground = image.pixelColor(image.width() / 2, image.height() / 2);
    for (int x = 6; x < image.width() - 6; ++x)
      for (int y = 6; y < image.height() - 6; ++y) QCOMPARE(image.pixelColor(x, y), ground);
    QImage still = primary->grab().toImage();
    primary->setFocus(Qt::TabFocusReason);
    keep_picture(page, QString("controls_%1_%2").arg(theme).arg(scale));
    image = primary->grab().toImage();
    QVERIFY2(seen_on(look.ink, image, image.rect()) > seen_on(look.ink, still, still.rect()) + 20,
             "the focus of a primary button cannot be seen");
    // A tick in the middle of the box, not its colour alone.
    image = box->grab().toImage();
    int side = look.px(12);
    QRect inside(4, (image.height() - side) / 2 + 3, side - 6, side - 6);
    int tick = seen_on(look.ink, image, inside);
    QVERIFY2(tick >= 4 && tick < inside.width() * inside.height() * 3 / 4, "there is no tick");
    image = number->grab().toImage();
    QCOMPARE(image.pixelColor(0, image.height() / 2), look.line3);
    QVERIFY2(menu_of("Go", true) != menu_of("Go", false), "a disabled entry looks like any other");
    qApp->setStyleSheet("");
  }

  void the_list_of_a_box_shows_all_its_entries() {
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    for (double scale : {1.0, 1.5}) {
      Theme look = Theme::load("dark");
      look.scale = scale;
      QWidget page;
      page.resize(600, 500);
      Chooser box(&page);
      box.addItems({"Failures", "Predictions", "Knobs", "Devices"});
      box.move(20, 20);
      page.show();
      qApp->setStyleSheet(look.style_sheet());
      box.showPopup();
      QVERIFY(QTest::qWaitForWindowExposed(box.view()->window()));
      QRect last = box.view()->visualRect(box.model()->index(3, 0));
      QVERIFY2(last.bottom() < box.view()->viewport()->height(),
               qPrintable(QString("the last entry ends at %1 of %2")
                              .arg(last.bottom())
                              .arg(box.view()->viewport()->height())));
      box.hidePopup();
    }
    qApp->setStyleSheet("");
  }

private:
  static void note(QStringList& wrong, QString const& what, double is, double least) {
    if (is < least) wrong << QString("%1: %2, not %3").arg(what).arg(is, 0, 'f', 2).arg(least);
  }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
