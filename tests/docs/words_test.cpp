// Words that no practitioner could guess were replaced by the field's: sentences and documents stay
// free of them.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

#include "tests/support/paths.h"

namespace {

/// A word, and what is said instead.
struct Retired {
  char const* pattern;
  char const* instead;
};
constexpr Retired kRetired[] = {
    {"plain nest|as it is written, ", "unscheduled loop nest"},
    {"scheduled by rule|schedule by rule|the rule's schedule", "default schedule"},
    {"below the roofs", "on the roofline"},
    {"next moves", "suggestions"},
    {"carries the gain|what carries it", "step contributions, ablation"},
    {"the ringed|is ringed", "focused"},
    {"come nearer|go farther", "zoom in, zoom out"},
    {"as it would be|as they would be", "preview"},
    {"how soon lines", "reuse distance"},
    {"cache without sets|without sets it", "fully associative"},
    {"never seen before", "compulsory miss"},
    {"want of room", "capacity miss"},
    {"nearest cache", "L1"},
    {"nearer memor", "faster level"},
    {"branches foreseen", "perfect branch prediction"},
    {"straight pieces", "basic blocks"},
    {"timed in turns|measured in turns|, in turns", "interleaved runs"},
    {"right answers?\\b", "reference output"},
    {"\\bby chance\\b", "random"},
    {"model of (bytes|floats)", "int8 model, float32 model"},
    {"truth value", "bool"},
    {"value that is shown", "sample value"},
    {"places used by turns", "double-buffered"},
    {"copies (that are )?under way", "in flight"},
    {"hands over %", "transfers"},
    {"over the cards", "overlay"},
    {"said of (a|the) (loop|block)|said to the code generator", "annotated, annotation"},
    {"nobody knows what", "unknown"},
};

QStringList files_of(QStringList const& folders, QStringList const& endings) {
  QStringList files;
  for (QString const& folder : folders) {
    QDirIterator all(QString::fromStdString(tw::testing::source("/" + folder.toStdString())),
                     endings, QDir::Files, QDirIterator::Subdirectories);
    while (all.hasNext()) files << all.next();
  }
  return files;
}

QString text_of(QString const& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// What a source says in quotes: a sentence on several lines is one.
QStringList quoted(QString text) {
  static QRegularExpression const comment("^\\s*(//|#).*$", QRegularExpression::MultilineOption),
      broken("\"\\s*\\n\\s*\""), literal("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  text.remove(comment).remove(broken);
  QStringList said;
  for (auto const& match : literal.globalMatch(text)) said << match.captured(1);
  return said;
}

QString complaint(QString const& path, QString const& said) {
  static std::vector<QRegularExpression> const patterns = [] {
    std::vector<QRegularExpression> all;
    for (Retired const& word : kRetired)
      all.emplace_back(word.pattern, QRegularExpression::CaseInsensitiveOption);
    return all;
  }();
  for (size_t i = 0; i < patterns.size(); ++i) {
    Retired const& word = kRetired[i];
    if (auto found = patterns[i].match(said); found.hasMatch())
      return QString("%1: '%2' is said as: %3; in: %4")
          .arg(path, found.captured(0), word.instead, said.left(200));
  }
  return {};
}

/// Without what documents a former word, and the table of former names of commands.
QString without_former(QString text) {
  if (qsizetype end = text.indexOf("## Former words"); end >= 0) text.truncate(end);
  qsizetype begin = text.indexOf("QString former_name(");
  if (begin >= 0) text.remove(begin, text.indexOf("\n}\n", begin) - begin);
  return text;
}

}  // namespace

class WordsTest : public QObject {
  Q_OBJECT
private slots:
  void a_retired_word_is_noticed() {
    QCOMPARE(quoted("say(\"Put it below \"\n    \"the roofs\");\n// \"no\"\n#include \"no\"\n"),
             QStringList{"Put it below the roofs"});
    QVERIFY(!complaint("f", "Put every kernel below the roofs").isEmpty());
    QVERIFY(complaint("f", "Show all kernels on the roofline").isEmpty());
    QCOMPARE(without_former("now\n## Former words\nbefore"), QString("now\n"));
  }

  void sentences_of_the_sources_have_none() {
    QStringList wrong;
    int sentences = 0;
    for (QString const& path :
         files_of({"app", "engine", "targets", "widgets"}, {"*.cpp", "*.h"})) {
      if (path.contains("former")) continue;  // tables of what was said before
      for (QString const& said : quoted(without_former(text_of(path)))) {
        if (!said.contains(' ')) continue;
        ++sentences;
        if (QString why = complaint(path, said); !why.isEmpty()) wrong << why;
      }
    }
    QVERIFY2(sentences > 5000, qPrintable(QString::number(sentences)));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void documents_have_none() {
    QStringList wrong;
    for (QString const& path :
         files_of({"resources/docs", "resources/lessons"}, {"*.md", "*.lesson"})) {
      if (path.endsWith("changelog.md")) continue;
      for (QString const& line : without_former(text_of(path)).split('\n'))
        if (QString why = complaint(path, line); !why.isEmpty()) wrong << why;
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }
};

QTEST_GUILESS_MAIN(WordsTest)
#include "words_test.moc"
