// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/start_page.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/session/layers.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {

/// `role` says in the theme's style sheet how it looks.
QLabel* label(QString const& text, char const* role = nullptr) {
  auto* made = new QLabel(text);
  if (role) made->setProperty("role", role);
  return made;
}

QFrame* card() {
  auto* frame = new QFrame;
  frame->setObjectName("card");
  return frame;
}

}  // namespace

StartPage::StartPage(std::vector<SampleCard> samples, QWidget* parent) : QWidget(parent) {
  setObjectName("start");
  setAttribute(Qt::WA_StyledBackground);
  auto* outer = new QHBoxLayout(this);
  auto* column = new QVBoxLayout;
  column->setSpacing(14);
  column->setContentsMargins(24, 56, 24, 24);
  auto* title = label("Schedule a kernel, and see what the machine does with it.", "headline");
  column->addWidget(title);
  column->addWidget(
      label("Every step is checked before it is applied, and measured after.", "lead"));
  column->addSpacing(16);

  auto* drop = card();
  auto* row = new QHBoxLayout(drop);
  row->setContentsMargins(20, 18, 20, 18);
  auto* words = new QVBoxLayout;
  words->addWidget(label("Drop a model here", "title"));
  words->addWidget(
      label("ONNX files, and kernels as tensor expressions (.te). Models with unsupported "
            "operators open too.",
            "secondary"));
  row->addLayout(words, 1);
  auto* open = new QPushButton("Open…  Ctrl+O");
  open->setObjectName("open");
  open->setProperty("primary", true);
  row->addWidget(open);
  connect(open, &QPushButton::clicked, this, &StartPage::open_asked);
  column->addWidget(drop);

  column->addWidget(label("Samples", "section"));
  for (SampleCard const& sample : samples) {
    auto* button = new QPushButton(sample.title + QStringLiteral("   ·   ") + sample.description);
    button->setObjectName("sample_" + sample.name);
    button->setAccessibleName(sample.title);
    button->setProperty("row", "sample");
    connect(button, &QPushButton::clicked, this,
            [this, name = sample.name] { emit sample_asked(name); });
    column->addWidget(button);
  }
  auto* machine_card = card();
  auto* machine_column = new QVBoxLayout(machine_card);
  machine_column->setContentsMargins(20, 14, 20, 14);
  machine_ = label("This machine", "section");
  roofs_ =
      label("Its roofs are being measured; you can open a model in the meantime.", "secondary");
  machine_column->addWidget(machine_);
  machine_column->addWidget(roofs_);
  column->addWidget(machine_card);
  recent_ = new QVBoxLayout;
  column->addLayout(recent_);
  column->addStretch();
  outer->addStretch(1);
  outer->addLayout(column, 4);
  outer->addStretch(1);
}

void StartPage::set_theme(Theme const& theme) {
  QString look = QString("#card { background: %1; border: 1px solid %2; border-radius: 8px; }")
                     .arg(theme.raised.name(), theme.line2.name());
  for (QFrame* frame : findChildren<QFrame*>("card")) frame->setStyleSheet(theme.scaled(look));
}

void StartPage::show_machine(std::shared_ptr<session::MachineView const> machine) {
  if (!machine) return;
  machine_->setText(QString::fromStdString(machine->name + " · " + machine->target));
  QStringList parts;
  for (auto const& roof : machine->roofs)
    if (roof.name.find("one core") == std::string::npos)
      parts << QString::fromStdString(roof.name) + " " +
                   paint::speed(roof.value, session::unit_of(roof).c_str());
  if (machine->roofs_doubtful)
    parts << QStringLiteral("▲ measured under other load; measured again when the machine is idle");
  roofs_->setText(machine->roofs_known
                      ? parts.join("   ·   ")
                      : QString::fromStdString(machine->detail) + " · roofs are being measured");
}

void StartPage::show_recent(QStringList const& paths) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();  // one of its actions may be what takes it off the list
    delete item;
  }
  if (paths.isEmpty()) return;
  recent_->addWidget(label("Recent", "section"));
  for (QString const& path : paths) {
    bool sample = path.startsWith("sample:");
    auto* button = new QPushButton(sample ? path.mid(7) + "   built in"
                                          : QFileInfo(path).fileName() + "   " +
                                                QFileInfo(path).absolutePath());
    button->setProperty("quiet", true);
    button->setProperty("row", "recent");
    button->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* forget = new QAction("Remove it from this list", button);
    connect(forget, &QAction::triggered, this, [this, path] { emit forget_asked(path); });
    button->addAction(forget);
    connect(button, &QPushButton::clicked, this, [this, path] { emit recent_asked(path); });
    recent_->addWidget(button);
  }
}

}  // namespace tw
