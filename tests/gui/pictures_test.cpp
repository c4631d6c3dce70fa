// Pictures of views: whole, with words as words, in the theme that was asked for.
#include <QtTest>

#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include "app/window/pictures/pictures.h"
#include "tests/gui/workplace.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/paint/paint.h"

using namespace tw;
using namespace tw::session;

namespace {

struct Svg {
  bool parses = false;
  QSize size;
  QStringList words;
  int rasters = 0, shapes = 0;  ///< rasters larger than the arrow of a button
  QString whole;
};

/// Without the signs that keep letters apart.
QString bare(QString words) { return words.remove(QChar(0x200C)).simplified(); }

Svg read_svg(QString const& file) {
  QFile in(file);
  Svg svg;
  if (!in.open(QIODevice::ReadOnly)) return svg;
  svg.whole = QString::fromUtf8(in.readAll());
  QXmlStreamReader reader(svg.whole);
  QString text;
  bool inside = false;
  while (!reader.atEnd()) {
    reader.readNext();
    auto name = reader.name();
    if (reader.isStartElement() && name == u"svg")
      svg.size =
          QSize(int(reader.attributes().value("viewBox").toString().section(' ', 2, 2).toDouble()),
                int(reader.attributes().value("viewBox").toString().section(' ', 3, 3).toDouble()));
    if (reader.isStartElement() && name == u"image")
      svg.rasters += reader.attributes().value("width").toInt() > 16;
    if (reader.isStartElement() &&
        (name == u"path" || name == u"rect" || name == u"polyline" || name == u"ellipse"))
      ++svg.shapes;
    if (reader.isStartElement() && name == u"text") inside = true, text.clear();
    if (inside && reader.isCharacters()) text += reader.text();
    if (reader.isEndElement() && name == u"text") {
      inside = false;
      svg.words << bare(text);
    }
  }
  svg.parses = !reader.hasError();
  return svg;
}

/// What a widget and all in it paint now.
QStringList painted_in(QWidget& view) {
  paint::TextLog log;
  QPixmap canvas(view.size());
  view.render(&canvas);
  QStringList words;
  for (paint::PaintedText const& one : log.texts)
    if (!one.cut) words << bare(one.words);
  return words;
}

}  // namespace

class PicturesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(true);
    place_->window->set_theme("dark");
    place_->window->execute(OpenSample{"dqn"});
    place_->settle();
    for (char const* line : {"kernel 0", "measure"})
      QCOMPARE(place_->lines(std::string(line) + "\n"), std::string());
  }
  void cleanupTestCase() { place_.reset(); }

  void every_view_is_saved_with_its_words_data() {
    QTest::addColumn<QString>("view");
    for (char const* view : {"kernels", "suggestions", "loops", "graph", "code", "history",
                             "roofline", "why", "tuning"})
      QTest::newRow(view) << view;
  }
  void every_view_is_saved_with_its_words() {
    QFETCH(QString, view);
    QString svg = file(view + ".svg"), png = file(view + ".png");
    QCOMPARE(save(view, svg), std::string());
    QCOMPARE(save(view, png), std::string());
    Svg read = read_svg(svg);
    QVERIFY(read.parses);
    QCOMPARE(read.rasters, 0);
    QVERIFY(read.shapes > 0 && read.size.width() > 100);
    // Where letters are kept apart a word is in pieces.
    QString all = read.words.join("").remove(' ');
    int seen = 0;
    for (QString const& words : painted_in(widget_of(view)))
      for (QString const& word : words.split(' ')) {
        if (word.contains(QChar(0x2026))) continue;  // there is more room in the picture
        ++seen;
        QVERIFY2(all.contains(word), qPrintable(word + " is not in " + all));
      }
    QVERIFY(seen > 0 || read.words.size() > 2);  // a view of labels only logs nothing
    QImage image(png);
    QCOMPARE(image.size(), read.size * kPictureDensity);
  }

  /// It says of what it is, and has nothing to press.
  void a_picture_has_a_title_and_no_controls() {
    QString svg = file("titled.svg"), pdf = file("titled.pdf");
    QCOMPARE(save("roofline", svg), std::string());
    QCOMPARE(save("roofline", pdf), std::string());
    if (QString kept = qEnvironmentVariable("TW_PICTURES"); !kept.isEmpty())
      for (QString view : {"roofline", "kernels", "code", "history", "loops", "tuning"})
        (void)save(view, kept + "/titled_" + view + ".png");
    QString all = read_svg(svg).words.join(" ");
    Snapshot now = place_->session->snapshot();
    QVERIFY2(all.contains(QString::fromStdString(now.kernels->rows[size_t(now.kernel)].name)) &&
                 all.contains(QString::fromStdString(now.machine->name)),
             qPrintable(all));
    for (char const* control : {"What if", "Steps of the kernel"})
      QVERIFY2(!all.contains(control), qPrintable(all));
    auto* button = widget_of("roofline").findChild<QComboBox*>();
    QVERIFY(button->isVisible() && button->geometry().left() >= 0);
  }

  /// More than the pane has room for.
  void a_picture_is_whole_and_the_view_is_as_it_was() {
    place_->window->resize(1280, 800);
    QCOMPARE(place_->lines("show loops\n"), std::string());
    auto* loop_nest = place_->window->findChild<LoopNestView*>("loopNest");
    QWidget& pane = widget_of("loops");
    QSize before = pane.size(), whole = loop_nest->size();
    QPoint at = loop_nest->pos();
    QString svg = file("whole.svg");
    QCOMPARE(save("loops", svg), std::string());
    QCOMPARE(pane.size(), before);
    QCOMPARE(loop_nest->pos(), at);
    QCOMPARE(loop_nest->size(), whole);
    Svg read = read_svg(svg);
    QString all = read.words.join("\n");
    QVERIFY(read.size.height() >= whole.height());
    for (LoopBar const& bar : place_->session->snapshot().nest->bars)
      QVERIFY2(all.contains(QString::fromStdString(bar.name)), bar.name.c_str());
  }

  /// One page as large as the view, with words as words and lines as lines.
  void a_page_has_the_size_of_the_view_and_its_words_data() {
    QTest::addColumn<QString>("view");
    for (char const* view : {"loops", "graph", "roofline", "kernels", "code"})
      QTest::newRow(view) << view;
  }
  void a_page_has_the_size_of_the_view_and_its_words() {
    QFETCH(QString, view);
    QString svg = file(view + "_page.svg"), pdf = file(view + "_page.pdf");
    QCOMPARE(save(view, svg), std::string());
    QCOMPARE(save(view, pdf), std::string());
    QFile in(pdf);
    QVERIFY(in.open(QIODevice::ReadOnly));
    QByteArray bytes = in.readAll();
    QVERIFY(bytes.startsWith("%PDF-") && bytes.trimmed().endsWith("%%EOF"));
    QCOMPARE(bytes.count("/Type /Page\n"), 1);
    QVERIFY(bytes.contains("/FontFile"));  // words, in letters that the file brings along
    auto box = QRegularExpression(R"(/MediaBox \[\S+ \S+ (\S+) (\S+)\])")
                   .match(QString::fromLatin1(bytes));
    QVERIFY(box.hasMatch());
    QSizeF page(box.captured(1).toDouble(), box.captured(2).toDouble()), size = read_svg(svg).size;
    QVERIFY2(std::abs(page.width() / page.height() - size.width() / size.height()) < 0.01,
             qPrintable(box.captured(0)));
    QCOMPARE(place_->window->pane_widget(view.toStdString())->isVisible(), true);
  }

  void the_graph_is_whole_however_near_one_is() {
    QCOMPARE(place_->lines("show graph\n"), std::string());
    QString far = file("far.svg"), near = file("near.svg");
    QCOMPARE(save("graph", far), std::string());
    auto* view = place_->window->findChild<QWidget*>("graph");
    for (int i = 0; i < 6; ++i) QTest::keyClick(view, Qt::Key_Plus);
    QCOMPARE(save("graph", near), std::string());
    QCOMPARE(read_svg(near).words, read_svg(far).words);
    QVERIFY(read_svg(far).words.size() > 8);
  }

  void the_theme_is_kept_or_the_one_that_was_asked_for() {
    QString panel = Theme::load("light").panel.name(), own = Theme::load("dark").panel.name();
    QString light = file("light.svg"), dark = file("dark.svg");
    QCOMPARE(place_->lines("picture loops " + light.toStdString() + " light\n"), std::string());
    QCOMPARE(place_->window->theme_name(), QString("dark"));
    QCOMPARE(save("loops", dark), std::string());
    QVERIFY(read_svg(light).whole.contains(panel) && !read_svg(light).whole.contains(own));
    QVERIFY(read_svg(dark).whole.contains(own) && !read_svg(dark).whole.contains(panel));
  }

  void what_cannot_be_drawn_is_said() {
    auto wrong = [&](std::string const& line, std::string const& words) {
      return place_->lines("picture " + line + "\nexpect error contains " + words + "\n");
    };
    QCOMPARE(wrong("nothing a.svg", "there is no view"), std::string());
    QCOMPARE(wrong("loops a.bmp", "a .svg, a .png or a .pdf file"), std::string());
    QCOMPARE(wrong("loops a.svg pink", "there is no theme"), std::string());
    QVERIFY(QFile(file("a")).open(QIODevice::WriteOnly));
    QCOMPARE(wrong("loops " + file("a/b.svg").toStdString(), file("a").toStdString()),
             std::string());
    QCOMPARE(save("loops", file("after.svg")), std::string());  // nothing is wrong any more
  }

  void a_tab_of_the_code_is_a_view_too() {
    QString svg = file("assembly.svg");
    QCOMPARE(save("assembly", svg), std::string());
    Svg read = read_svg(svg);
    auto text = place_->session->code("assembly", false);
    QVERIFY(text && read.size.height() > 18 * int(text->lines.size()));
    QVERIFY(read.words.contains("ret") || read.words.contains("retq"));
  }

  void a_copy_is_lines_for_those_who_take_lines_and_pixels_for_the_others() {
    QCOMPARE(place_->lines("show roofline\n"), std::string());
    auto* view = place_->window->findChild<QWidget*>("roofline");
    view->setFocus();
    place_->window->run_action(kCopyPicture);
    QMimeData const* data = QApplication::clipboard()->mimeData();
    QVERIFY(data->hasImage());
    QVERIFY(QString::fromUtf8(data->data("image/svg+xml")).contains("<title>Roofline</title>"));
  }

  /// Where the pane has a menu of its own, and where it has none.
  void every_menu_ends_with_the_picture_data() {
    QTest::addColumn<QString>("view");
    for (char const* view : {"roofline", "kernels", "why"}) QTest::newRow(view) << view;
  }
  void every_menu_ends_with_the_picture() {
    QFETCH(QString, view);
    QCOMPARE(place_->lines("show " + view.toStdString() + "\n"), std::string());
    QWidget& pane = widget_of(view);
    QPoint at = pane.rect().center();
    QWidget* below = pane.childAt(at);
    if (!below) below = &pane;
    QPoint inside = below->rect().center();  // above lie heads of columns
    QTest::mouseClick(below, Qt::RightButton, {}, inside);
    QContextMenuEvent event(QContextMenuEvent::Mouse, inside, below->mapToGlobal(inside));
    QApplication::sendEvent(below, &event);
    auto* menu = place_->window->findChild<QMenu*>("viewMenu");
    QVERIFY(menu);
    QList<QAction*> entries = menu->actions();
    QVERIFY(entries.size() >= 2);
    QCOMPARE(entries[entries.size() - 2]->text(), QString(kSavePicture));
    QCOMPARE(entries.back()->text(), QString(kCopyPicture));
    entries.back()->trigger();
    QVERIFY(QApplication::clipboard()->mimeData()->hasImage());
    menu->close();
    delete menu;
  }

  void the_command_asks_for_a_file_for_the_view_in_focus() {
    QCOMPARE(place_->lines("show history\n"), std::string());
    place_->window->findChild<QWidget*>("history")->setFocus();
    place_->window->run_action(kSavePicture);
    QCOMPARE(place_->lines("expect dialog = pictureDialog\nclose dialog\n"), std::string());
    QVERIFY(place_->recorded().find("dialog picture history") != std::string::npos);
    QCOMPARE(place_->lines("dialog picture history\n"), std::string());
    auto* dialog = place_->window->findChild<QFileDialog*>("pictureDialog");
    QVERIFY(dialog && dialog->nameFilters().contains("PDF (*.pdf)"));
    QVERIFY(dialog->nameFilters().contains("PDF in the light theme, for print (*.pdf)"));
    QCOMPARE(place_->lines("close dialog\n"), std::string());
  }

private:
  QString file(QString const& name) const { return place_->folder.filePath(name); }
  std::string save(QString const& view, QString const& name) {
    return place_->lines(("picture " + view + " " + name + "\n").toStdString());
  }
  QWidget& widget_of(QString const& view) const {
    for (PaneRow const* row : pane_table())
      if (row->name == view.toStdString()) return *place_->window->pane_widget(row->name);
    qFatal("no such view");
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(PicturesTest)
#include "pictures_test.moc"
