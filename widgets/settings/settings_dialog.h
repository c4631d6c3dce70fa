// SPDX-License-Identifier: GPL-3.0-or-later
/// What a user can set, page by page; each change takes effect at once.
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

class QLabel;
class QTabWidget;
class QTableWidget;

namespace tw {

struct SettingButton {
  QString name, text, why;
  std::function<void()> press;
};
/// One of several values; a single one is only told, with buttons behind it.
struct Setting {
  QString page, name, title, doc;
  QStringList values, words;  ///< as they are kept, and as they are read
  QString value;
  std::function<void(QString const& value)> set;
  std::vector<SettingButton> buttons = {};
};
/// A command with its keys; both empty: it has none.
struct KeySetting {
  QString command, keys, usual;
};

class SettingsDialog : public QDialog {
  Q_OBJECT
public:
  SettingsDialog(std::vector<Setting> settings, std::vector<KeySetting> keys, QWidget* parent);
  /// Says whose keys they are already; empty: nobody's.
  QString owner_of(QString const& keys, QString const& but) const;
  /// Other words for a value that is only told.
  void tell(QString const& name, QString const& words);
  /// As if a user had typed them into the command's row.
  void choose_keys(QString const& command, QString const& keys);

signals:
  void keys_chosen(QString command, QString keys);

private:
  QWidget* page_of(QString const& title);
  void add_setting(Setting const& setting);
  void add_keys();
  void fill_row(int row);

  std::vector<KeySetting> keys_;
  QTabWidget* pages_;
  QTableWidget* table_ = nullptr;
  QLabel* said_ = nullptr;
};

}  // namespace tw
