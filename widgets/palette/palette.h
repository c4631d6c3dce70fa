// SPDX-License-Identifier: GPL-3.0-or-later
/// Everything that has a name, found by a few letters: commands, steps, kernels, loops, tensors.
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace tw {

struct PaletteEntry {
  QString name;  ///< "Split a loop"
  QString keys;  ///< "S"
  QString also;  ///< other words that find it: "split"
  std::function<void()> run;
  bool when_typed = false;  ///< only shown once something was typed
};

class Palette : public QDialog {
  Q_OBJECT
public:
  Palette(std::vector<PaletteEntry> entries, QWidget* parent);
  QStringList shown() const;

signals:
  /// What was typed is a line of a script.
  void line_typed(QString line);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fill(QString const& typed);
  void choose();

  std::vector<PaletteEntry> entries_;
  QLineEdit* find_;
  QListWidget* list_;
};

}  // namespace tw
