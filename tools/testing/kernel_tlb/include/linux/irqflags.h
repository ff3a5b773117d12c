/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: interrupts come from the model. */
#ifndef IRQFLAGS_H
#define IRQFLAGS_H

#define local_save_flags(flags)		((flags) = model_irqs_on())
#define local_irq_save(flags)		((flags) = model_irqs_set(false))
#define local_irq_restore(flags)	((void)model_irqs_set(flags))
#define local_irq_enable()		((void)model_irqs_set(true))
#define local_irq_disable()		((void)model_irqs_set(false))

#endif
