// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/start_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/paint/paint.h"

namespace tw {

namespace {

QLabel* label(QString const& text, QFont const& font, char const* role = nullptr) {
  auto* made = new QLabel(text);
  made->setFont(font);
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
  auto* title = label("Shape a kernel, see what the machine does with it.", ui_font(26, 600));
  title->setStyleSheet("font-size: 26px; font-weight: 600;");
  column->addWidget(title);
  column->addWidget(label("Every step is checked before it is taken and measured after.",
                          ui_font(14), "secondary"));
  column->addSpacing(16);

  auto* drop = card();
  auto* row = new QHBoxLayout(drop);
  row->setContentsMargins(20, 18, 20, 18);
  auto* words = new QVBoxLayout;
  words->addWidget(label("Drop a model here", ui_font(15, 600), "title"));
  words->addWidget(
      label("ONNX files, and kernels as tensor expressions (.te). Unknown operators still open.",
            ui_font(12), "secondary"));
  row->addLayout(words, 1);
  auto* open = new QPushButton("Open…  Ctrl+O");
  open->setObjectName("open");
  open->setProperty("primary", true);
  row->addWidget(open);
  connect(open, &QPushButton::clicked, this, &StartPage::open_asked);
  column->addWidget(drop);

  column->addWidget(label("Samples", ui_font(13, 600)));
  for (SampleCard const& sample : samples) {
    auto* button = new QPushButton(sample.title + QStringLiteral("   ·   ") + sample.description);
    button->setObjectName("sample_" + sample.name);
    button->setAccessibleName(sample.title);
    button->setMinimumHeight(44);
    button->setStyleSheet("text-align: left; padding-left: 16px;");
    connect(button, &QPushButton::clicked, this,
            [this, name = sample.name] { emit sample_asked(name); });
    column->addWidget(button);
  }
  auto* machine_card = card();
  auto* machine_column = new QVBoxLayout(machine_card);
  machine_column->setContentsMargins(20, 14, 20, 14);
  machine_ = label("This machine", ui_font(13, 600));
  roofs_ = label("Its roofs are being measured; you can open a model meanwhile.", mono_font(12),
                 "secondary");
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
  for (QFrame* frame : findChildren<QFrame*>("card"))
    frame->setStyleSheet(
        QString("#card { background: %1; border: 1px solid %2; border-radius: 8px; }")
            .arg(theme.raised.name(), theme.line2.name()));
}

void StartPage::show_machine(std::shared_ptr<session::MachineView const> machine) {
  if (!machine) return;
  machine_->setText(QString::fromStdString(machine->name + " · " + machine->target));
  QStringList parts;
  for (auto const& roof : machine->roofs)
    if (roof.name.find("one core") == std::string::npos)
      parts << QString::fromStdString(roof.name) + " " +
                   paint::speed(roof.value, roof.compute ? "GFLOP/s" : "GB/s");
  if (machine->roofs_doubtful)
    parts << QStringLiteral("▲ measured while others ran, again when it is quiet");
  roofs_->setText(machine->roofs_known
                      ? parts.join("   ·   ")
                      : QString::fromStdString(machine->detail) + " · roofs are being measured");
}

void StartPage::show_recent(QStringList const& paths) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  if (paths.isEmpty()) return;
  recent_->addWidget(label("Recent", ui_font(13, 600)));
  for (QString const& path : paths) {
    bool sample = path.startsWith("sample:");
    auto* button = new QPushButton(sample ? path.mid(7) + "   built in"
                                          : QFileInfo(path).fileName() + "   " +
                                                QFileInfo(path).absolutePath());
    button->setProperty("quiet", true);
    button->setStyleSheet("text-align: left;");
    connect(button, &QPushButton::clicked, this, [this, path] { emit recent_asked(path); });
    recent_->addWidget(button);
  }
}

}  // namespace tw
