// What can be set: theme, text, measuring, threads and keys; at once, and kept for the next start.
#include <QtTest>

#include <QComboBox>
#include <QFileDialog>
#include <QKeySequenceEdit>
#include <QSettings>
#include <QShortcut>
#include <QTableWidget>
#include <filesystem>
#include <fstream>

#include "app/shared/cache_files.h"
#include "app/shared/environment.h"
#include "app/window/code_panel.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/settings/settings_dialog.h"

using namespace tw;
namespace fs = std::filesystem;

class SettingsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    usual_cache_ = qgetenv("TW_CACHE_DIR");
    qputenv("TW_CONFIG_DIR", folder_.filePath("config").toLocal8Bit());
    place_ = std::make_unique<Workplace>(false, folder_.path());
    place_->open_matmul();
    QTest::keyClick(place_->window.get(), Qt::Key_Comma, Qt::ControlModifier);
    dialog_ = place_->window->findChild<SettingsDialog*>("settings");
    QVERIFY(dialog_ && dialog_->isVisible());
  }
  void cleanup() {
    place_.reset();
    qputenv("TW_CACHE_DIR", usual_cache_);
  }

  void a_choice_takes_effect_at_once_and_is_kept() {
    choose("settingTheme", "light");
    QCOMPARE(place_->lines("expect theme = light\n"), std::string());
    choose("settingText", "125");
    QCOMPARE(place_->lines("expect text.scale = 125\n"), std::string());
    // This session measures nothing: what is chosen is kept all the same.
    for (char const* state : {"on", "off"}) {
      choose("settingBackground", state);
      QCOMPARE(QSettings(folder_.path() + "/settings.ini", QSettings::IniFormat)
                   .value("background")
                   .toString(),
               QString(state));
    }
    choose("settingThreads", "1");
    QSettings file(folder_.path() + "/settings.ini", QSettings::IniFormat);
    QCOMPARE(file.value("threads").toString(), QString("1"));
    QCOMPARE(file.value("theme").toString(), QString("light"));
    choose("settingText", "100");
  }

  void other_keys_do_what_the_usual_ones_did() {
    dialog_->choose_keys("Switch theme", "Ctrl+Alt+J");
    dialog_->accept();
    std::string before = theme();
    QTest::keyClick(place_->window.get(), Qt::Key_T, Qt::ControlModifier);
    QCOMPARE(theme(), before);
    QTest::keyClick(place_->window.get(), Qt::Key_J, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(theme() != before);
    // The next window has them, too.
    Workplace next(false, folder_.path());
    auto* shortcut = next.window->findChild<QShortcut*>("keys of Switch theme");
    QVERIFY(shortcut);
    QCOMPARE(shortcut->key().toString(), QString("Ctrl+Alt+J"));
  }

  void keys_of_another_command_are_not_taken() {
    dialog_->choose_keys("Switch theme", "Ctrl+Z");
    auto* said = dialog_->findChild<QLabel*>("settingsKeysSaid");
    QVERIFY2(said->text().contains("Undo"), qPrintable(said->text()));
    QVERIFY(dialog_->owner_of("Ctrl+Z", "").contains("Undo"));
  }

  void empty_keys_are_the_usual_ones_again() {
    dialog_->choose_keys("Redo", "Ctrl+Alt+Y");
    QCOMPARE(keys_of("Redo"), QString("Ctrl+Alt+Y"));
    dialog_->choose_keys("Redo", "");
    QCOMPARE(keys_of("Redo"), QString("Ctrl+Y"));
  }

  void assembly_begins_in_the_syntax_that_was_chosen() {
    auto* panel = place_->window->findChild<CodePanel*>("codePanel");
    choose("settingSyntax", "intel");
    QVERIFY(panel->look().assembly.intel);
    QVERIFY(place_->recorded().find("code intel on") != std::string::npos);
    {
      Workplace next(false, folder_.path());
      QVERIFY(next.window->findChild<CodePanel*>("codePanel")->look().assembly.intel);
    }
    choose("settingSyntax", "att");
    QVERIFY(!panel->look().assembly.intel);
    Workplace next(false, folder_.path());
    QVERIFY(!next.window->findChild<CodePanel*>("codePanel")->look().assembly.intel);
  }

  void the_cache_is_counted_limited_and_emptied() {
    fs::path folder = cache_.path().toStdString();
    fs::create_directories(folder / "kernels");
    std::ofstream(folder / "kernels" / "0123456789abcdef.twk") << std::string(3 << 20, 'x');
    std::ofstream(folder / "kernels" / "notes.txt") << "mine";
    begin_in_own_cache();
    auto* size = dialog_->findChild<QLabel*>("settingCacheSize");
    QTRY_COMPARE(size->text(), QString("3.0 MB: code of 1 kernel 3.0 MB"));
    QCOMPARE(dialog_->findChild<QLabel*>("settingCacheFolder")->text(), cache_.path());
    choose("settingCacheLimit", "512");
    QTRY_COMPARE(cache_limit(folder), int64_t(512) << 20);
    dialog_->findChild<QPushButton*>("cacheEmpty")->click();
    QTRY_VERIFY2(size->text().startsWith("Freed 3.0 MB. Now: "), qPrintable(size->text()));
    QVERIFY(!fs::exists(folder / "kernels" / "0123456789abcdef.twk"));
    QVERIFY(fs::exists(folder / "kernels" / "notes.txt"));
    QVERIFY(place_->recorded().find("limit cache 512\nempty cache\n") != std::string::npos);
    QVERIFY(place_->lines("limit cache 1\n").find("the cache's limit is 16 to") !=
            std::string::npos);
  }

  void another_folder_of_the_cache_is_the_next_start_s() {
    QTemporaryDir elsewhere;
    begin_in_own_cache();
    std::ofstream(elsewhere.filePath("mine").toStdString()) << "mine";
    dialog_->findChild<QPushButton*>("cacheChoose")->click();
    auto* chooser = dialog_->findChild<QFileDialog*>("cacheFolder");
    QVERIFY(chooser);
    emit chooser->fileSelected(elsewhere.path());
    // Not between what is somebody's; and what is asked for by the environment goes first.
    QCOMPARE(chosen_cache_folder(), elsewhere.path().toStdString() + "/tilewright");
    QVERIFY(dialog_->findChild<QLabel*>("settingCacheFolder")->text().contains("TW_CACHE_DIR"));
    qunsetenv("TW_CACHE_DIR");
    QCOMPARE(QString::fromStdString(cache_folder().path), elsewhere.path() + "/tilewright");
    chooser->reject();
    QVERIFY(choose_cache_folder(""));
    QVERIFY(chosen_cache_folder().empty());
    QVERIFY(!choose_cache_folder("somewhere"));
  }

  void words_have_room() {
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      choose("settingTheme", theme);
      QString wrong = wrong_words(*dialog_);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
      keep_picture(*dialog_, QString("settings_%1").arg(theme));
    }
    auto* pages = dialog_->findChild<QTabWidget*>("settingsPages");
    for (int i = 0; i < pages->count(); ++i) {
      pages->setCurrentIndex(i);
      keep_picture(*dialog_, QString("settings_page_%1").arg(i));
    }
  }

private:
  /// A window whose cache nobody else uses, with its settings open.
  void begin_in_own_cache() {
    place_.reset();
    qputenv("TW_CACHE_DIR", cache_.path().toLocal8Bit());
    place_ = std::make_unique<Workplace>(false, folder_.path());
    QCOMPARE(place_->lines("dialog settings\n"), std::string());
    dialog_ = place_->window->findChild<SettingsDialog*>("settings");
    QVERIFY(dialog_);
  }
  void choose(char const* name, char const* value) {
    auto* chooser = dialog_->findChild<QComboBox*>(name);
    QVERIFY(chooser);
    chooser->setCurrentIndex(chooser->findData(value));
    emit chooser->activated(chooser->currentIndex());
    place_->settle();
  }
  QString keys_of(QString const& command) {
    return dialog_->findChild<QKeySequenceEdit*>("keysOf_" + command)->keySequence().toString();
  }
  std::string theme() { return std::get<std::string>(*place_->window->fact("theme")); }

  QTemporaryDir folder_, cache_;
  QByteArray usual_cache_;
  std::unique_ptr<Workplace> place_;
  SettingsDialog* dialog_ = nullptr;
};

QTEST_MAIN(SettingsTest)
#include "settings_test.moc"
