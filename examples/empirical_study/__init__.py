"""The experiments of "An empirical study on evaluation metrics of GANs" (Xu et al. 2018), run with truegrade's audit.

digits: real digits. classifier: a small one of them. spaces: images to vectors. study: the audit's suite in all spaces.
ladder: checkpoints of three generators. tables, figures, page, ladder_page: what is shown. command: the command line.
"""
