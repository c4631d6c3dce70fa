// SPDX-License-Identifier: GPL-3.0-or-later
/// The lines on the history's map in which a state gets its note or its name.
#pragma once

#include <QLineEdit>
#include <QObject>

namespace tw {

class StateLines : public QObject {
  Q_OBJECT
public:
  explicit StateLines(QWidget* view);
  /// In pixels of the view. `text`: what there is now.
  void write_note(int node, QString const& text, QRect const& place);
  void write_name(int node, QString const& text, QRect const& place);
  /// Nothing is taken.
  void close();
  int node() const { return node_; }  ///< that is being written about; -1: none

signals:
  /// Something else than before.
  void note_written(int node, QString const& note);
  void name_written(int node, QString const& name);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QLineEdit* make(char const* object, QString const& name, QString const& placeholder);
  void begin(QLineEdit* line, int node, QString const& text, QRect const& place);
  void end(QLineEdit* line);

  QWidget* view_;
  QLineEdit *note_, *name_;
  QString before_;
  int node_ = -1;
};

}  // namespace tw
