// What can be read and what can be seen of a control's edge, in every theme, hovered and not.
#include <QtTest>

#include <QRegularExpression>
#include <cmath>

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
    static QStringList const kControls{"QPushButton", "QToolButton",    "QComboBox", "QLineEdit",
                                       "QSpinBox",    "QPlainTextEdit", "QTableView"};
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

private:
  static void note(QStringList& wrong, QString const& what, double is, double least) {
    if (is < least) wrong << QString("%1: %2, not %3").arg(what).arg(is, 0, 'f', 2).arg(least);
  }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
